import type { SendResult } from '@tocsin/egress';
import { type Circuits, circuitHoldMs } from './circuit.js';
import type { Claimed } from './claimed.js';
import { holdAskedFor, isDestinationTrouble } from './classify.js';
import type { Recorder } from './record.js';

export interface HoldDeps {
  recorder: Pick<Recorder, 'hold' | 'release'>;
  circuits: Circuits;
  random: () => number;
}

/** Opens, extends and closes the webhook's hold. It is committed before the record, so that the next claim sees it. */
export async function holdOrRelease(
  claimed: Claimed,
  result: SendResult,
  { recorder, circuits, random }: HoldDeps,
): Promise<void> {
  const { webhookId, deliveryId, hold } = claimed;
  const version = claimed.webhook?.version ?? 0;
  const askedForMs = holdAskedFor(result);
  if (askedForMs !== undefined && askedForMs > 0)
    return recorder.hold({ webhookId, version, reason: 'retry_after', forMs: askedForMs, times: 1 });
  if (!isDestinationTrouble(result)) {
    circuits.answered(webhookId);
    return hold && recorder.release(webhookId);
  }
  const opens = circuits.failed(webhookId, deliveryId);
  if (!opens && hold?.reason !== 'circuit') return;
  const times = hold?.reason === 'circuit' ? hold.times + 1 : 1;
  await recorder.hold({
    webhookId,
    version,
    reason: 'circuit',
    forMs: circuitHoldMs(times, random()),
    times,
  });
}
