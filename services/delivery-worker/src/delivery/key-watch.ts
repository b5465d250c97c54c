import { AppError, type Logger } from '@tocsin/kit';
import type { Destination, Unopened } from './webhooks-reader.js';

/** Tells a worker that was given other keys than those that webhooks are encrypted with from one that meets a damaged row. */
export interface KeyWatch {
  saw(webhook: Destination | Unopened): void;
  /** @throws AppError `unavailable`, where the worker's keys open nothing. */
  check(): Promise<void>;
}

/** So many webhooks are not damaged all at once. */
const enough = 20;

const unfit =
  'SECRETS_KEYS opens none of the webhooks: it does not hold the key that they are encrypted with.';

export function createKeyWatch(logger: Logger): KeyWatch {
  const unopened = new Set<string>();
  // The keys stay as they are as long as the process lives.
  let hasOpened = false;
  const isUnfit = () => !hasOpened && unopened.size >= enough;
  return {
    saw(webhook) {
      if (!('error' in webhook)) {
        hasOpened = true;
        return;
      }
      if (hasOpened || isUnfit()) return;
      unopened.add(webhook.id);
      if (isUnfit()) logger.error({ err: webhook.error }, 'secrets.keys_unfit');
    },
    async check() {
      if (isUnfit()) throw new AppError('unavailable', unfit);
    },
  };
}
