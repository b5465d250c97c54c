import type { Delivery, Webhook } from '../api/schemas.js';

type WaitingReason = NonNullable<Delivery['waiting_reason']>;
type Pause = NonNullable<Webhook['paused']>;

const waits: Record<WaitingReason, string> = {
  retry: 'for the time of the next attempt',
  paused: 'the webhook is paused',
  backlog: 'due, behind other deliveries',
  no_slot: 'no worker has a free slot for the webhook, or memory for the body',
  crashed: 'a worker ended before the outcome was recorded',
  undecryptable: 'the worker could not decrypt the webhook',
  render_budget: 'the workspace has used its time for rendering',
  rate_limit: 'the rate limit of the webhook',
  no_signing_secret: 'the webhook signs and has no secret',
};

/** Returns a phrase with the reason why a delivery waits, or null if it does not wait. */
export function describeWait({ waiting_reason }: Delivery): string | null {
  return waiting_reason === null ? null : waits[waiting_reason];
}

const pauses: Record<Pause['reason'], string> = {
  circuit: 'several deliveries in a row failed',
  retry_after: 'the destination asked for it with Retry-After',
  manual: 'a user asked for it',
};

/** Returns the times and the reason of a webhook's pause as text, or null without a pause. */
export function describePause({ paused }: Webhook): string | null {
  if (paused === null) return null;
  const { reason, since, until, error } = paused;
  const cause = error === null ? '' : ` (${error})`;
  return `until ${until}, since ${since}: ${pauses[reason]}${cause}`;
}
