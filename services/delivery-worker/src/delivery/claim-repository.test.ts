import { type Database, firstIdOf, sqlArray } from '@tocsin/database';
import { createClaimRepository } from './claim-repository.js';

const [first, second] = ['0193a000-0000-7000-8000-000000000001', '0193b000-0000-7000-8000-000000000002'];
const workerId = '11111111-1111-4111-8111-111111111111';

const options = { workerId, queuedLeaseMs: 45_000, maxAgeMs: 86_400_000 };

const facts = {
  alert_id: 'alert',
  alert_rule_id: 'rule',
  alert_rule_name: 'Rule',
  model_id: 'model',
  model_name: 'churn',
  metric_value: 0.5,
  threshold: 0.4,
  bound: 'upper_bound',
  is_test: false,
  fired_at: '2026-01-02T03:04:05Z',
  state: 'resolved',
  labels: { team: 'risk' },
  annotations: { runbook: 'https://example.test/' },
  notice: null,
};
const row = {
  ...facts,
  delivery_id: first,
  run: 2,
  claim: 5,
  claims_without_outcome: 3,
  step: 4,
  manual: true,
  workspace_id: 'workspace',
  webhook_id: 'webhook',
  request_id: 'request',
  age_ms: 1_234,
  version: 7,
  enabled: true,
  retry_on_timeout: true,
  pause_reason: null,
  pause_times: null,
  pause_remaining_ms: null,
};

/**
 * Creates a fake database whose statements return the given rows. The names and parameters of the statements are
 * recorded in `statements`, and their SQL in `texts`.
 */
function databaseOf(rows: object[]) {
  const statements: unknown[][] = [];
  const texts: string[] = [];
  const database = {
    async prepared({ name, text }: { name: string; text: string }, values: unknown[]) {
      texts.push(text);
      statements.push([name, ...values]);
      return rows;
    },
  } as unknown as Database;
  return { database, statements, texts };
}

/** Claims two deliveries with a fake database that returns the given rows. */
async function claim(rows: object[]) {
  const { database, statements, texts } = databaseOf(rows);
  const due = [
    { deliveryId: second, run: 1 },
    { deliveryId: first, run: 2 },
  ];
  const claimed = await createClaimRepository(database, options).claim(due, 'token');
  return { claimed, statements, texts };
}

test('the claim statement gets ids, runs, worker, claim token and a lower bound of the alert ids', async () => {
  const { claimed, statements, texts } = await claim([]);
  expect(claimed).toEqual([]);
  expect(texts).toEqual([expect.stringMatching(/update open_deliveries o[\s\S]*select +c\.delivery_id,/)]);
  expect(texts[0]).toMatch(/a\.id = c\.alert_record_id and a\.id >= \$5::uuid\s+left join/);
  expect(statements).toEqual([
    [
      'delivery.claim',
      sqlArray.uuid([second, first]),
      sqlArray.integer([1, 2]),
      workerId,
      'token',
      firstIdOf([first, second]),
    ],
  ]);
});

test('a claimed delivery has the values of its row, its alert and its webhook', async () => {
  const beforeMs = performance.now();
  const [claimed] = (await claim([row])).claimed;
  expect(claimed).toEqual({
    deliveryId: first,
    run: 2,
    claim: 5,
    claimsWithoutOutcome: 3,
    step: 4,
    ageMs: 1_234,
    manual: true,
    workspaceId: 'workspace',
    webhookId: 'webhook',
    requestId: 'request',
    facts: { ...facts, workspace_id: 'workspace' },
    webhook: { version: 7, enabled: true, retryOnTimeout: true },
    pause: undefined,
    claimedAtMs: expect.any(Number),
  });
  expect(claimed!.claimedAtMs).toBeGreaterThanOrEqual(beforeMs);
});

test('a claim contains the state of a disabled webhook, and none if the webhook does not exist', async () => {
  const missing = { ...row, version: null, enabled: null, retry_on_timeout: null };
  const disabled = { ...row, enabled: false, retry_on_timeout: false };
  const { claimed } = await claim([missing, disabled]);
  expect(claimed.map(({ webhook }) => webhook)).toEqual([
    undefined,
    { version: 7, enabled: false, retryOnTimeout: false },
  ]);
});

test('labels and annotations of a claim are empty if its alert has none', async () => {
  const [bare] = (await claim([{ ...row, labels: null, annotations: null }])).claimed;
  expect([bare?.facts.labels, bare?.facts.annotations]).toEqual([{}, {}]);
});

test('a claim has the reason and remaining time of a pause, and the number of pauses in a row', async () => {
  const paused = { ...row, pause_reason: 'circuit', pause_times: 3, pause_remaining_ms: 900 };
  const [pause] = (await claim([paused])).claimed.map((claimed) => claimed.pause);
  expect(pause).toEqual({ reason: 'circuit', remainingMs: 900, times: 3 });
});

test('claimLimited sends the places of each webhook and returns which claims took a request', async () => {
  const { database, statements, texts } = databaseOf([
    { ...row, has_request: true },
    { ...row, has_request: false },
  ]);
  const webhooks = [
    { workspaceId: first, webhookId: second, places: 3 },
    { workspaceId: second, webhookId: first, places: 1 },
  ];
  const claimed = await createClaimRepository(database, options).claimLimited(webhooks, {
    token: 'token',
    maxExpired: 301,
  });
  expect(claimed).toMatchObject([
    { deliveryId: first, claim: 5, limitedClaim: 'with_request' },
    { limitedClaim: 'expired' },
  ]);
  expect(texts).toEqual([
    expect.stringMatching(/update open_deliveries o[\s\S]*select c\.has_request, c\.delivery_id,/),
  ]);
  expect(texts[0]).toMatch(/a\.id = c\.alert_record_id\s+left join/);
  expect(statements).toEqual([
    [
      'delivery.claim-limited',
      sqlArray.uuid([first, second]),
      sqlArray.uuid([second, first]),
      sqlArray.integer([3, 1]),
      workerId,
      'token',
      45_000,
      86_400_000,
      150,
    ],
  ]);
});

test('at least one expired delivery of each webhook is claimed, and none if no more may wait', async () => {
  const webhook = { workspaceId: first, webhookId: second, places: 0 };
  const { database, statements } = databaseOf([]);
  const repository = createClaimRepository(database, options);
  await repository.claimLimited([webhook, webhook], { token: 'token', maxExpired: 1 });
  await repository.claimLimited([webhook, webhook], { token: 'token', maxExpired: 0 });
  expect(statements.map((values) => values.at(-1))).toEqual([1, 0]);
});
