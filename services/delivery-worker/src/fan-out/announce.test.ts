import type { Logger } from '@tocsin/kit';
import type { Window } from '../dispatch/window.js';
import { type AnnounceDeps, announce } from './announce.js';
import type { PlacedDelivery, Plan } from './plan.js';

const resolved = { alert: { workspace_id: 'ws', alert_id: 'a' }, outcome: 'dispatched' };

function tell(written: { ids: string[]; isCertain: boolean }) {
  const seen: Record<string, unknown[]> = { begun: [], claimed: [], published: [], freed: [], left: [] };
  const target = (id: string, state: PlacedDelivery['state']) => ({
    id,
    state,
    webhookId: `webhook of ${id}`,
    webhook: { version: 7, enabled: true, retryOnTimeout: false },
    slot: state === 'claimed' ? { release: () => seen.freed!.push(id) } : undefined,
  });
  const deliveries = [target('ours', 'claimed'), target('any', 'queued'), target('later', 'waiting')];
  const deps: AnnounceDeps = {
    begin: (claimed) => seen.begun!.push(claimed),
    beginUncertain: (entries, token) =>
      seen.claimed!.push(token, ...entries.map(({ due }) => due.deliveryId)),
    publish: (due) => seen.published!.push(...due.map(({ deliveryId }) => deliveryId)),
    window: { giveBack: (webhookId: string) => seen.left!.push(webhookId) } as unknown as Window,
    logger: { info() {}, debug() {} } as unknown as Logger,
    metrics: { alertFannedOut() {} },
  };
  announce(
    [{ resolved, recordId: 'alert', deliveries } as unknown as Plan],
    {
      ids: new Set(written.ids),
      isCertain: written.isCertain,
      token: 'token',
      leaseEndsAtMs: 30_000,
    },
    deps,
  );
  return seen;
}

test('what was written as claimed is begun, what was written as queued is published, the rest is left', () => {
  const seen = tell({ ids: ['alert', 'ours', 'any', 'later'], isCertain: true });
  expect(seen).toMatchObject({ published: ['any'], claimed: [], freed: [], left: [] });
  expect(seen.begun).toMatchObject([
    { deliveryId: 'ours', run: 1, claim: 1, leaseEndsAtMs: 30_000, webhook: { version: 7 } },
  ]);
});

test('where it is not certain who wrote them, they are claimed first by the token that may stand there', () => {
  const seen = tell({ ids: ['alert', 'ours', 'any', 'later'], isCertain: false });
  expect(seen).toMatchObject({ begun: [], claimed: ['token', 'ours'], published: ['any'] });
});

test('for an alert that was there already nothing is sent, and what was taken for it is free again', () => {
  expect(tell({ ids: [], isCertain: true })).toEqual({
    begun: [],
    claimed: [],
    published: [],
    freed: ['ours'],
    left: ['webhook of any'],
  });
});
