import type { EnvReader } from '@tocsin/kit';

/** Maximum numbers of open deliveries: waiting, queued or sending. */
export interface OpenDeliveryLimits {
  perWebhook: number;
  perWorkspace: number;
}

export function readOpenDeliveryLimits(read: EnvReader): OpenDeliveryLimits {
  return {
    perWebhook: read.int('MAX_OPEN_PER_WEBHOOK', 100_000, { min: 1 }),
    perWorkspace: read.int('MAX_OPEN_DELIVERIES', 1_000_000, { min: 1 }),
  };
}
