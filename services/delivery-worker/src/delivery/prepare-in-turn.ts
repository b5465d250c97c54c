import type { Logger, TickThrottle } from '@tocsin/kit';
import type { Slot, Slots } from '../slots/slots.js';
import type { Claimed } from './claimed.js';
import type { DearRenders } from './dear-renders.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import { type Prepared, prepare } from './prepare.js';
import type { RenderBody } from './render-body.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Deferral } from './verdict.js';
import type { WebhookCache } from './webhook-cache.js';
import type { Destination, Unopened } from './webhooks-reader.js';

export interface PrepareDeps {
  webhooks: WebhookCache;
  render: RenderBody;
  /** For webhooks whose bodies take long to render. */
  dearRenders: DearRenders;
  /** For webhooks that have not shown that they answer: where destinations hang, their deliveries come due by the hundred together. */
  unhurried: TickThrottle;
  slots: Pick<Slots, 'isProven' | 'isDear' | 'rendered' | 'pauseMs'>;
  policy: RetryPolicy;
  logger: Logger;
  metrics: DeliveryMetrics;
  /** 0 to 1. */
  random: () => number;
}

/** Prepares a delivery once it is its turn. A dear one has its slot first, so that few of a webhook wait for theirs. */
export async function prepareInTurn(
  claimed: Claimed,
  takeSlot: () => Promise<Slot | undefined>,
  deps: PrepareDeps,
): Promise<Prepared> {
  const { slots, unhurried, dearRenders } = deps;
  if (!slots.isProven(claimed.webhookId)) await unhurried.wait();
  const destination = await readWebhook(claimed, deps);
  const prepareNow = () => prepareTimed(claimed, destination, deps);
  if (!slots.isDear(claimed.webhookId)) return prepareNow();
  const mayWait = dearRenders.hasRoom() && (await takeSlot()) !== undefined && dearRenders.hasRoom();
  return mayWait ? dearRenders.turn(claimed.webhookId, prepareNow) : noSlot(claimed, deps);
}

/** Spread out, so that they do not all come back at once. */
export function noSlot(
  { webhookId }: Claimed,
  { slots, random }: Pick<PrepareDeps, 'slots' | 'random'>,
): Deferral {
  const afterMs = slots.pauseMs(webhookId) * (2 / 3 + (2 / 3) * random());
  return { kind: 'deferred', afterMs, reason: 'no_slot' };
}

async function readWebhook(
  { webhookId, webhook }: Claimed,
  { webhooks, logger }: PrepareDeps,
): Promise<Destination | Unopened | undefined> {
  const found = webhook && (await webhooks.get(webhookId, webhook.version));
  if (found !== undefined && 'error' in found)
    logger.error({ err: found.error, webhook_id: webhookId }, 'webhook.unopened');
  return found;
}

/** Whether the lease is long enough is looked at here, after all waiting for a turn. */
function prepareTimed(
  claimed: Claimed,
  destination: Destination | Unopened | undefined,
  deps: PrepareDeps,
): Prepared {
  const { slots, metrics, policy, random } = deps;
  const render: RenderBody = (source, facts) => {
    const startedAtMs = performance.now();
    const rendered = deps.render(source, facts);
    const tookMs = performance.now() - startedAtMs;
    slots.rendered(claimed.webhookId, tookMs);
    metrics.rendered(tookMs / 1_000);
    return rendered;
  };
  return prepare({ claimed, destination, render, policy, random: random(), nowMs: performance.now() });
}
