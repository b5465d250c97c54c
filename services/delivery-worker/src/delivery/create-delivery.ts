import type { Database, SecretBox } from '@tocsin/database';
import type { Sender } from '@tocsin/egress';
import { createTurnstile, type Logger } from '@tocsin/kit';
import type { Patience } from '../committing/patience.js';
import type { DeliveryWorkerConfig } from '../config.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Slots } from '../slots/slots.js';
import { createCircuits } from './circuit.js';
import { createClaim } from './claim.js';
import { createClaimRepository } from './claim-repository.js';
import { createDearRenders } from './dear-renders.js';
import { createDeliver, type Deliver } from './deliver.js';
import type { KeyWatch } from './key-watch.js';
import { createRecorder } from './record.js';
import { createRecordRepository } from './record-repository.js';
import { createRenderBody } from './render-body.js';
import { createSuspectSeat } from './suspect-seat.js';
import { createWebhookCache } from './webhook-cache.js';
import { createWebhooksReader } from './webhooks-reader.js';

export interface DeliveryParts {
  database: Database;
  secrets: SecretBox;
  keyWatch: KeyWatch;
  slots: Slots;
  sender: Sender;
  patience: Patience;
  logger: Logger;
  metrics: WorkerMetrics;
  config: DeliveryWorkerConfig;
  /** Told once for each attempt. */
  onAttempt: () => void;
}

/** Deliveries of webhooks that have not shown that they answer, begun in each turn of the event loop. */
const unhurriedPerTurn = 4;

/** Puts the five verbs together with their adapters. */
export function createDelivery(parts: DeliveryParts): Deliver {
  const { database, secrets, keyWatch, slots, sender, patience, logger, metrics, config, onAttempt } = parts;
  const batchOf = (stage: 'claim' | 'record') => (size: number) => metrics.batch(stage, size);
  const suspects = createSuspectSeat({ leaseMs: config.leases.claimMs, now: () => performance.now() });
  return createDeliver({
    claim: createClaim({
      repository: createClaimRepository(database, config.leases.claimMs),
      suspects,
      patience,
      onBatch: batchOf('claim'),
    }),
    suspects,
    webhooks: createWebhookCache(createWebhooksReader({ database, secrets, onRead: keyWatch.saw }), patience),
    render: createRenderBody(),
    dearRenders: createDearRenders(),
    slots,
    unhurried: createTurnstile(unhurriedPerTurn),
    sender,
    recorder: createRecorder({
      repository: createRecordRepository(database, secrets),
      patience,
      logger,
      onBatch: batchOf('record'),
      leaseMs: config.leases.claimMs,
    }),
    circuits: createCircuits(),
    policy: config.retry,
    logger,
    metrics,
    onAttempt,
    now: Date.now,
    random: Math.random,
  });
}
