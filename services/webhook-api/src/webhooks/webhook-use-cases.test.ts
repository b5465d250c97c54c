import type { PatchWebhook } from '@tocsin/contracts';
import { author, principal } from '../../test/support/author.js';
import {
  earlier,
  type Given,
  key,
  noSecret,
  now,
  plain,
  secrets,
  start,
  stored,
} from '../../test/support/webhook-use-cases.js';
import type { StoredWebhook } from './stored-webhook.js';
import type { DeleteOutcome } from './webhook-deletion-repository.js';
import { noOptions } from './webhook-options.js';

test('a new webhook has the given fields, and defaults for the others', async () => {
  const { create } = start();
  const { webhook, warnings } = await create({});
  expect(warnings).toEqual([]);
  expect(plain(webhook)).toEqual({
    ...noOptions,
    id: expect.any(String),
    workspaceId: key.workspaceId,
    externalId: null,
    name: 'New',
    url: secrets.url,
    headers: {},
    body: '{}',
    destination: 'https://chat.example.com',
    headerNames: [],
    enabled: true,
    enabledChangedAt: null,
    retryOnTimeout: true,
    disabledReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastUpdatedBy: principal,
  });
  const fields = { external_id: 'mine', enabled: false, retry_on_timeout: false, signing: true };
  const other = await create({ ...fields, headers: secrets.headers, timeout_ms: 2_000 });
  expect(other.warnings).toEqual([noSecret]);
  expect(plain(other.webhook)).toMatchObject({
    externalId: 'mine',
    enabled: false,
    retryOnTimeout: false,
    signing: true,
    timeoutMs: 2_000,
    headers: secrets.headers,
    headerNames: ['X-A', 'X-B'],
  });
});

test('a webhook is not created in a workspace that has the maximum number of webhooks', async () => {
  await expect(start({ isFull: true }).create({})).rejects.toMatchObject({
    code: 'conflict',
    detail: 'A workspace can have 7 webhooks; delete one first.',
  });
});

const request = { affectsRequests: true, changesPause: false };
const pause = { affectsRequests: false, changesPause: true };
const neither = { affectsRequests: false, changesPause: false };

test.each<[PatchWebhook, Partial<ReturnType<typeof plain>> & object, object]>([
  [{ external_id: null }, { externalId: null }, neither],
  [{ name: 'Renamed' }, { name: 'Renamed' }, neither],
  [
    { url: 'https://other.example.com/' },
    { url: 'https://other.example.com/', destination: 'https://other.example.com' },
    request,
  ],
  [{ headers: { 'X-C': ['3'] } }, { headers: { 'X-C': ['3'] }, headerNames: ['X-C'] }, request],
  [{ body: '[]' }, { body: '[]' }, request],
  [{ retry_on_timeout: false }, { retryOnTimeout: false }, neither],
  [{ retry_schedule_ms: [1_000] }, { retryScheduleMs: [1_000] }, neither],
  [{ timeout_ms: 1_000 }, { timeoutMs: 1_000 }, request],
  [{ signing: true }, { signing: true }, request],
  [{ idempotency_header: 'X-Id' }, { idempotencyHeader: 'X-Id' }, request],
  [
    { rate_limit: { requests: 1, period_ms: 1_000 } },
    { rateLimit: { requests: 1, period_ms: 1_000 } },
    neither,
  ],
  [{ paused_until: now.toISOString() }, { pausedUntil: now }, pause],
  [
    { enabled: false },
    { enabled: false, enabledChangedAt: now },
    { affectsRequests: true, changesPause: true },
  ],
])('the change %j of a webhook keeps all other writable fields', async (fields, changed, effects) => {
  const { update, writes } = start();
  const { webhook } = await update(fields);
  const written = { version: 4, updatedAt: now, lastUpdatedBy: principal };
  expect(plain(webhook)).toEqual({ ...plain(stored), ...changed, ...written });
  expect(writes).toEqual([{ webhook, changedFields: Object.keys(fields), ...effects }]);
});

test('reordering the headers is a change, and sending equal values is not', async () => {
  const { update, writes } = start();
  await update({});
  await update({ ...secrets, name: stored.name, enabled: true });
  expect(writes).toEqual([]);
  await update({ headers: { 'X-B': ['2'], 'X-A': ['1'] } });
  expect(writes).toMatchObject([{ changedFields: ['headers'] }]);
});

test('the reason of an automatic disabling is removed when a request enables the webhook', async () => {
  const disabled = { ...stored, enabled: false, disabledReason: 'No delivery has succeeded.' };
  const { webhook } = await start({ before: disabled }).update({ enabled: true });
  expect(webhook).toMatchObject({ enabled: true, enabledChangedAt: now, disabledReason: null });
  const renamed = await start({ before: disabled }).update({ name: 'Renamed' });
  expect(renamed.webhook).toMatchObject({
    enabledChangedAt: earlier,
    disabledReason: disabled.disabledReason,
  });
});

test('a request that repeats the current value of enabled does not change enabledChangedAt', async () => {
  const { webhook } = await start().update({ name: 'Renamed', enabled: true });
  expect(webhook).toMatchObject({ name: 'Renamed', enabled: true, enabledChangedAt: earlier });
});

test('options are checked against the stored webhook before and after its row is locked', async () => {
  const fields = { idempotency_header: 'X-A' };
  const withoutHeaders = { ...stored, headerNames: [] };
  const { warnings } = await start({ locked: withoutHeaders }).update(fields);
  expect(warnings).toEqual(['checked /idempotency_header']);
  const raced = start({ before: withoutHeaders, locked: stored });
  await expect(raced.update(fields)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ path: '/idempotency_header' }],
  });
  expect(raced.writes).toEqual([]);
});

test('a webhook with undecryptable secrets is changed only if the request replaces all of them', async () => {
  const before = { ...stored, bodyEncrypted: stored.urlEncrypted };
  await expect(start({ before }).update({ name: 'Renamed' })).rejects.toMatchObject({
    code: 'undecryptable',
  });
  const { url, headers } = secrets;
  await expect(start({ before }).update({ url, headers })).rejects.toMatchObject({ code: 'undecryptable' });
  expect(plain((await start({ before }).update(secrets)).webhook)).toMatchObject(secrets);
});

test('a change warns of a missing signing secret and of a notice that does not render', async () => {
  const warningsOf = async (fields: PatchWebhook, given: Given) =>
    (await start(given).update(fields)).warnings;
  expect(await warningsOf({ signing: true }, {})).toEqual([noSecret]);
  expect(await warningsOf({ signing: true }, { signingSecrets: 1 })).toEqual([]);
  expect(await warningsOf({ name: 'Renamed' }, { before: { ...stored, signing: true } })).toEqual([]);
  expect(await warningsOf({ body: '[]' }, { isForNotices: true })).toEqual(['notice: []']);
  expect(await warningsOf({ name: 'Renamed' }, { isForNotices: true })).toEqual([]);
  expect(await warningsOf({ body: '[]' }, {})).toEqual([]);
});

test('a change whose sample notice exceeds the rate limit is not written', async () => {
  const { update, writes } = start({ isForNotices: true, isRateLimited: true });
  await expect(update({ body: '[]' })).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(writes).toEqual([]);
});

test('the change of a webhook that was deleted meanwhile is rejected as not found', async () => {
  await expect(start({ locked: undefined }).update({ name: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a body that the schema rejects is also checked for errors of its URL and its options', () => {
  const { useCases } = start();
  const given = { idempotency_header: 'X-A', headers: { 'x-a': ['1'] } };
  expect(useCases.errorsOf(key.workspaceId, given).map(({ path }) => path)).toEqual([
    '/url',
    '/idempotency_header',
  ]);
  const paths = (before?: StoredWebhook) =>
    useCases.errorsOf(key.workspaceId, { idempotency_header: 'X-A' }, before).map(({ path }) => path);
  expect([paths(), paths(stored)]).toEqual([['/url'], ['/url', '/idempotency_header']]);
});

describe('the deletion of a webhook', () => {
  const rulesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, name: `rule ${index}` }));
  const remove = (deletion: DeleteOutcome) =>
    start({ deletion }).useCases.delete(stored, { detach: false }, author);
  const inUse = (rules: number, forNotices = false) =>
    remove({ kind: 'in_use', rules: rulesOf(rules), forNotices });

  test('the deletion of a webhook returns its rules, and fails for an unknown webhook', async () => {
    expect(await remove({ kind: 'deleted', rules: rulesOf(2) })).toEqual(rulesOf(2));
    await expect(remove({ kind: 'missing' })).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each([
    [
      1,
      false,
      'the alert rule "rule 0" (id-0); detach it there, or delete it by force: ?force=true of the API, --force',
    ],
    [2, false, 'the alert rules "rule 0" (id-0), "rule 1" (id-1); detach'],
    [1, true, 'the alert rule "rule 0" (id-0) and to the notices of the workspace; detach'],
    [20, false, '"rule 19" (id-19); detach'],
    [22, false, '"rule 19" (id-19) and 2 more; detach'],
  ])('a webhook of %d rules (for notices: %s) needs force to be deleted', async (rules, forNotices, text) => {
    await expect(inUse(rules, forNotices)).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining(text),
      extra: { alert_rules: rulesOf(Math.min(rules, 20)) },
    });
  });

  test('a webhook that only receives notices is not deleted without force', async () => {
    await expect(inUse(0, true)).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringMatching(/calls the webhook for notices.+ --force of the command\.$/),
      extra: { alert_rules: [] },
    });
  });
});
