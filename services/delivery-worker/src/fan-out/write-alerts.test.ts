import { createLogger } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createDatabaseRetry } from '../database-retry.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Window } from '../dispatch/window.js';
import type { FanOutDeps } from './fan-out-deps.js';
import type { PlannedAlert, PlannedDelivery } from './plan.js';
import { writeAlerts } from './write-alerts.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const lost = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
const deadlock = Object.assign(new Error('deadlock'), { code: '40P01' });

/**
 * Writes an alert with three deliveries: `ours` is claimed, `any` is queued and `later` waits. Each try gets the next
 * entry of `responses`: an error to throw, or the ids of the written rows.
 */
async function write(responses: (Error | string[])[]) {
  const tries: { acceptedAtMs: number; token: string }[] = [];
  const claimedBy: string[] = [];
  const sent: ClaimedDelivery[] = [];
  const published: string[] = [];
  const releasedSlots: string[] = [];
  let wakes = 0;
  const releasedPlaces: string[] = [];
  const planned = (id: string, state: PlannedDelivery['state']) => ({
    id,
    state,
    webhookId: `webhook of ${id}`,
    webhook: { version: 7, enabled: true, retryOnTimeout: false },
    slot: state === 'claimed' ? { release: () => releasedSlots.push(id) } : undefined,
  });
  const alert = {
    resolved: { alert: { workspace_id: 'ws', alert_id: 'a' }, outcome: 'dispatched' },
    recordId: 'alert',
    deliveries: [planned('ours', 'claimed'), planned('any', 'queued'), planned('later', 'waiting')],
  } as unknown as PlannedAlert;
  const deps = {
    repository: {
      async write(_: PlannedAlert[], as: { acceptedAtMs: number; token: string }) {
        tries.push(as);
        const response = responses.shift()!;
        if (response instanceof Error) throw response;
        return { ids: new Set(response), suppressed: new Set<string>(), claimedAtMs: 30_000 };
      },
    },
    claims: {
      async claim(_, token) {
        claimedBy.push(token);
        return [];
      },
    },
    databaseRetry: createDatabaseRetry({ logger, signal: new AbortController().signal }),
    delivery: { start: (claimed) => sent.push(claimed), acquireAtWrite: () => undefined },
    publish: async (due) => published.push(...due.map(({ deliveryId }) => deliveryId)),
    onWaiting() {
      wakes += 1;
    },
    window: { release: (webhookId: string) => releasedPlaces.push(webhookId) } as unknown as Window,
    logger,
    metrics: { alertFannedOut() {}, batch() {}, ended() {}, webhookOverQuota() {} },
  } satisfies Partial<FanOutDeps>;
  await writeAlerts([alert], { acceptedAtMs: 1_000, markedAtMs: undefined }, deps);
  return { tries, claimedBy, sent, published, releasedSlots, releasedPlaces, wakes };
}

const all = ['alert', 'ours', 'any', 'later'];

test('claimed deliveries are sent, queued ones published, and waiting ones reported', async () => {
  const result = await write([all]);
  expect(result).toMatchObject({
    published: ['any'],
    claimedBy: [],
    releasedSlots: [],
    releasedPlaces: [],
    wakes: 1,
  });
  expect(result.sent).toMatchObject([
    { deliveryId: 'ours', run: 1, claim: 1, claimedAtMs: 30_000, webhook: { version: 7 } },
  ]);
});

test('after a lost reply, deliveries are claimed with the token of the first try', async () => {
  const { tries, claimedBy, sent, published, releasedSlots } = await write([lost, []]);
  const { token } = tries[0]!;
  // Ids depend on the time of acceptance, and claims on the token. A retry with other values would write other rows.
  expect(tries).toEqual([
    { acceptedAtMs: 1_000, token },
    { acceptedAtMs: 1_000, token },
  ]);
  await until(
    'the slot of the delivery that another worker has claimed is released',
    () => releasedSlots.length > 0,
  );
  expect({ claimedBy, sent, published }).toEqual({ claimedBy: [token], sent: [], published: ['any'] });
});

test.each([
  ['at once', [[]]],
  ['after a deadlock', [deadlock, []]],
])(
  'a repeated alert, detected %s, is not sent, and its slot and place are released',
  async (_, responses) => {
    expect(await write(responses)).toMatchObject({
      sent: [],
      claimedBy: [],
      published: [],
      releasedSlots: ['ours'],
      releasedPlaces: ['webhook of any'],
      wakes: 0,
    });
  },
);
