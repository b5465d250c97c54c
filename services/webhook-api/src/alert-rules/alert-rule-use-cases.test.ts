import type { CreateAlertRule, PatchAlertRule } from '@tocsin/contracts';
import { author, principal } from '../../test/support/author.js';
import { createAlertRuleUseCases } from './alert-rule-use-cases.js';
import type { AlertRulesRepository, StoredAlertRule } from './alert-rules-repository.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const workspaceId = '8f3b0fc3-9cf9-47f9-b965-db10ee501a61';
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => idOf(index));
const upperCaseId = 'ABCDEF00-0000-4000-8000-000000000000';

const stored: StoredAlertRule = {
  id: idOf(900),
  workspaceId,
  externalId: 'external',
  name: 'Too high',
  modelId: idOf(901),
  threshold: 5,
  bound: 'upper_bound',
  enabled: true,
  cooldownSeconds: 60,
  silencedUntil: new Date('2026-04-01T00:00:00.000Z'),
  webhookIds: idsOf(2),
  version: 3,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  lastUpdatedBy: 'somebody',
};

const tooMany = {
  path: '/notification_webhook_ids',
  message: 'must name at most 20 webhooks, and names 21',
};

/**
 * Creates the use cases with a fake repository. `unknown` are the webhook ids that do not exist. With `isFull`, the
 * workspace has its maximum number of rules. With `isMissing`, the rule to delete does not exist.
 */
function start({ unknown = [] as string[], isFull = false, isMissing = false } = {}) {
  const writtenFields: string[][] = [];
  const repository = {
    create: async (rule: StoredAlertRule) => (isFull ? { kind: 'full' } : { kind: 'written', rule }),
    update: async (
      before: StoredAlertRule,
      _: unknown,
      apply: Parameters<AlertRulesRepository['update']>[2],
    ) => {
      const applied = apply(before);
      if (applied !== undefined) writtenFields.push(applied.changedFields);
      return { kind: 'written', rule: applied?.rule ?? before };
    },
    delete: async () => !isMissing,
    findUnknownWebhooks: async (_: string, ids: string[]) => ids.filter((id) => unknown.includes(id)),
  } as unknown as AlertRulesRepository;
  const useCases = createAlertRuleUseCases({ repository, maxPerWorkspace: 7, now: () => now });
  return {
    useCases,
    writtenFields,
    create: (fields: Partial<CreateAlertRule>) =>
      useCases.create(
        workspaceId,
        { name: 'New', model_id: idOf(1), threshold: 0, bound: 'lower_bound', ...fields } as CreateAlertRule,
        author,
      ),
    update: (fields: PatchAlertRule) => useCases.update(stored, fields, author),
  };
}

test('a new alert rule has the given fields, and defaults for the others', async () => {
  const { create } = start();
  const times = { version: 1, createdAt: now, updatedAt: now, lastUpdatedBy: principal };
  expect(await create({ model_id: upperCaseId })).toEqual({
    id: expect.any(String),
    workspaceId,
    externalId: null,
    name: 'New',
    modelId: upperCaseId.toLowerCase(),
    threshold: 0,
    bound: 'lower_bound',
    enabled: true,
    cooldownSeconds: 0,
    silencedUntil: null,
    webhookIds: [],
    ...times,
  });
  const given = {
    external_id: 'mine',
    enabled: false,
    cooldown_seconds: 30,
    silenced_until: '2026-05-01T00:00:00.000Z',
    notification_webhook_ids: [upperCaseId, idOf(1), upperCaseId.toLowerCase()],
  };
  expect(await create(given)).toMatchObject({
    externalId: 'mine',
    enabled: false,
    cooldownSeconds: 30,
    silencedUntil: new Date(given.silenced_until),
    webhookIds: [upperCaseId.toLowerCase(), idOf(1)],
    ...times,
  });
});

test.each<[PatchAlertRule, Partial<StoredAlertRule>]>([
  [{ external_id: null }, { externalId: null }],
  [{ external_id: 'other' }, { externalId: 'other' }],
  [{ name: 'Renamed' }, { name: 'Renamed' }],
  [{ model_id: upperCaseId }, { modelId: upperCaseId.toLowerCase() }],
  [{ threshold: 0 }, { threshold: 0 }],
  [{ bound: 'lower_bound' }, { bound: 'lower_bound' }],
  [{ enabled: false }, { enabled: false }],
  [{ cooldown_seconds: 0 }, { cooldownSeconds: 0 }],
  [{ silenced_until: null }, { silencedUntil: null }],
  [{ silenced_until: '2026-05-01T00:00:00Z' }, { silencedUntil: new Date('2026-05-01T00:00:00Z') }],
  [{ notification_webhook_ids: [] }, { webhookIds: [] }],
])('the change %j of an alert rule keeps all other writable fields', async (fields, changed) => {
  const { update, writtenFields } = start();
  expect(await update(fields)).toEqual({
    ...stored,
    ...changed,
    version: 4,
    updatedAt: now,
    lastUpdatedBy: principal,
  });
  expect(writtenFields).toEqual([Object.keys(fields)]);
});

test('a request that changes no value of an alert rule writes nothing', async () => {
  const { update, writtenFields } = start();
  const same = {
    name: stored.name,
    model_id: stored.modelId.toUpperCase(),
    silenced_until: '2026-04-01T00:00:00Z',
    notification_webhook_ids: stored.webhookIds,
  };
  expect([await update({}), await update(same)]).toEqual([stored, stored]);
  expect(writtenFields).toEqual([]);
});

test('an alert rule can have twenty webhooks, and no more', async () => {
  const { create, update } = start();
  const [most, more] = [idsOf(20), idsOf(21)];
  expect((await create({ notification_webhook_ids: most })).webhookIds).toEqual(most);
  expect((await update({ notification_webhook_ids: most })).webhookIds).toEqual(most);
  for (const change of [create, update])
    await expect(change({ notification_webhook_ids: more })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [tooMany],
    });
});

test('a body that the schema rejects is also checked for errors of its webhooks', async () => {
  const { useCases } = start({ unknown: [idOf(3)] });
  const errorsOf = (body: object) => useCases.errorsOf(workspaceId, { ...body });
  const unknown = {
    path: tooMany.path,
    message: `must name webhooks of this workspace; unknown in it: ${idOf(3)}`,
  };
  expect(await errorsOf({ notification_webhook_ids: idsOf(21) })).toEqual([tooMany]);
  expect(await errorsOf({ notification_webhook_ids: idsOf(20) })).toEqual([unknown]);
  expect(await errorsOf({ notification_webhook_ids: ['no id'] })).toEqual([]);
});

test('a rule above the workspace limit cannot be created, and an unknown rule cannot be deleted', async () => {
  const detail = 'A workspace can have 7 alert rules; delete one first.';
  await expect(start({ isFull: true }).create({})).rejects.toMatchObject({ code: 'conflict', detail });
  const { useCases } = start({ isMissing: true });
  await expect(useCases.delete(stored, author)).rejects.toMatchObject({ code: 'not_found' });
});
