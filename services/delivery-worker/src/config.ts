import { readSecretsKeys } from '@tocsin/database';
import { type NoticeOptions, type OpenDeliveryLimits, readOpenDeliveryLimits } from '@tocsin/deliveries';
import { type EgressSettings, readEgressSettings } from '@tocsin/egress';
import { readEnv, readServiceConfig, type Secret, type ServiceConfig } from '@tocsin/kit';
import { defaultRetryPolicy, type RetryPolicy } from './delivery/classify.js';

export interface DeliveryWorkerConfig extends ServiceConfig {
  databasePoolSize: number;
  secretsKeys: Secret;
  egress: EgressSettings;
  retry: RetryPolicy;
  /**
   * Maximum number of requests in flight. The maximum number of messages in flight from the queue of deliveries is
   * twice as large, plus 300.
   */
  slots: number;
  /**
   * Lease of a queued row, in milliseconds. A delivery that waits longer in the queue returns to the state `waiting`.
   */
  queuedLeaseMs: number;
  openDeliveries: OpenDeliveryLimits;
  retentionDays: number;
  /** Retention of attempts in days. Attempts contain the bodies of requests and responses. */
  retentionAttemptsDays: number;
  /**
   * If true, partitions of expired days are moved to the schema `archive` and stay there until a command writes them to
   * files. If false, these partitions are dropped.
   */
  retentionArchive: boolean;
  notices: NoticeOptions;
}

/**
 * Smallest accepted value of `NOTICE_AFTER` and of `AUTO_DISABLE_AFTER`, in milliseconds. It equals the shortest delay
 * of a retry that a webhook can configure. With a smaller value, a webhook that fails once could be reported or
 * disabled although its first retry succeeds.
 */
const minNoticeMs = 1_000;

/**
 * Reads the settings of the worker from environment variables.
 * @throws ConfigError that lists every problem
 */
export function loadConfig(env: NodeJS.ProcessEnv): DeliveryWorkerConfig {
  return readEnv(env, (read) => ({
    ...readServiceConfig(read, { port: 8082, metricsPort: 9092 }),
    databasePoolSize: read.int('DATABASE_POOL_SIZE', 12, { min: 4, max: 100 }),
    secretsKeys: readSecretsKeys(read),
    egress: readEgressSettings(read),
    retry: {
      scheduleMs: read.durationsMs('RETRY_SCHEDULE', [...defaultRetryPolicy.scheduleMs]),
      maxAgeMs: read.durationMs('DELIVERY_EXPIRY', defaultRetryPolicy.maxAgeMs),
    },
    slots: read.int('DELIVERY_SLOTS', 800, { min: 1, max: 5_000 }),
    // The minimum is 10 s, the default request timeout. Even if hanging destinations use every slot, slots become free
    // after this time. A webhook can set a timeout of up to 20 s. If the lease is shorter than this timeout, a row can
    // wait longer than its lease. The delivery is then queued twice, which is harmless: when the second message is
    // processed, the delivery is already claimed.
    queuedLeaseMs: read.durationMs('QUEUED_LEASE', 45_000, { min: 10_000 }),
    openDeliveries: readOpenDeliveryLimits(read),
    retentionDays: read.int('RETENTION_DAYS', 90, { min: 1, max: 3_650 }),
    retentionAttemptsDays: read.int('RETENTION_ATTEMPTS_DAYS', 14, { min: 1, max: 3_650 }),
    retentionArchive: read.bool('RETENTION_ARCHIVE', false),
    notices: {
      noticeAfterMs: read.durationMs('NOTICE_AFTER', 600_000, { min: minNoticeMs }),
      disableAfterMs:
        read.optionalString('AUTO_DISABLE_AFTER') === 'off'
          ? undefined
          : read.durationMs('AUTO_DISABLE_AFTER', 0, { min: minNoticeMs }) || undefined,
    },
  }));
}
