import type { Database, SecretBox } from '@tocsin/database';
import type { Sender } from '@tocsin/egress';
import type { Logger } from '@tocsin/kit';
import type { DeliveryWorkerConfig } from '../config.js';
import type { Window } from '../dispatch/window.js';
import type { Patience } from '../patience.js';
import { createCircuits } from './circuit.js';
import { createClaim } from './claim.js';
import { createClaimRepository } from './claim-repository.js';
import { createDeliver, type Deliver } from './deliver.js';
import { createRecorder } from './record.js';
import { createRecordRepository } from './record-repository.js';
import { createRenderBody } from './render-body.js';
import type { Slots } from './slots.js';
import { createWebhookCache } from './webhook-cache.js';
import { createWebhooksReader } from './webhooks-reader.js';

export interface DeliveryParts {
  database: Database;
  secrets: SecretBox;
  slots: Slots;
  sender: Sender;
  window: Window;
  patience: Patience;
  logger: Logger;
  config: DeliveryWorkerConfig;
}

/** Puts the five verbs together with their adapters. */
export function createDelivery({
  database,
  secrets,
  slots,
  sender,
  window,
  patience,
  logger,
  config,
}: DeliveryParts): Deliver {
  return createDeliver({
    claim: createClaim({ repository: createClaimRepository(database, config.claimLeaseMs), patience }),
    webhooks: createWebhookCache(createWebhooksReader(database, secrets), patience),
    render: createRenderBody(),
    slots,
    sender,
    recorder: createRecorder({ repository: createRecordRepository(database, secrets), patience, logger }),
    circuits: createCircuits(),
    policy: config.retry,
    logger,
    onAttempt: () => window.finished(1),
    now: Date.now,
    random: Math.random,
  });
}
