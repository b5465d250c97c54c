import type { SecretBox } from '@tocsin/database';
import type { OpenDeliveryCounts } from '@tocsin/deliveries';
import type { Logger, Tracing } from '@tocsin/kit';
import type { BatchMetrics } from '../batch-metrics.js';
import type { DatabaseRetry } from '../database-retry.js';
import type { SettleMessage } from '../dead-letters/dead-letters.js';
import type { ClaimRepository } from '../delivery/claim-repository.js';
import type { DeliveryMetrics } from '../delivery/delivery-metrics.js';
import type { DeliveryProcessor } from '../delivery/delivery-processor.js';
import type { PublishDeliveries } from '../dispatch/publish-deliveries.js';
import type { Window } from '../dispatch/window.js';
import type { Slots } from '../slots/slots.js';
import type { FanOutMetrics } from './fan-out-metrics.js';
import type { FanOutRepository } from './fan-out-repository.js';
import type { RulesReader } from './rules-reader.js';

export interface FanOutDeps {
  rules: RulesReader;
  repository: FanOutRepository;
  claims: Pick<ClaimRepository, 'claim'>;
  databaseRetry: DatabaseRetry;
  /** Decrypts the message headers that name the publishers of alerts. */
  secretBox: SecretBox;
  openDeliveries: OpenDeliveryCounts;
  settle: SettleMessage;
  processor: Pick<DeliveryProcessor, 'start' | 'acquireAtWrite'>;
  publish: PublishDeliveries;
  /** Called after a commit that has written deliveries in the state `waiting`. */
  onWaiting: () => void;
  window: Window;
  slots: Pick<Slots, 'freeAtWrite'>;
  logger: Logger;
  /** Source of spans; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  metrics: FanOutMetrics & BatchMetrics & Pick<DeliveryMetrics, 'recorded'>;
  /**
   * Signal that is aborted when the worker stops. Waiting alerts are then rejected, and batches in progress are
   * completed.
   */
  signal: AbortSignal;
}
