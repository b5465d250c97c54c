import fc from 'fast-check';
import type { AlertRule, Webhook } from '../../api/schemas.js';
import { createPlan, webhookDefaults } from './plan.js';
import { readWorkspaceFile } from './read-workspace-file.js';
import type { WorkspaceState } from './workspace-state.js';
import { createWorkspaceFile, toYaml } from './write-workspace-file.js';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function webhook(fields: Partial<Webhook>): Webhook {
  return {
    id: id(1),
    external_id: null,
    name: 'chat',
    url: 'https://example.com/secret',
    headers: {},
    body: '{}',
    ...webhookDefaults,
    ...fields,
  } as Webhook;
}

function rule(fields: Partial<AlertRule>): AlertRule {
  return {
    id: id(9),
    external_id: null,
    name: 'drift',
    model_id: id(5),
    threshold: 0.5,
    bound: 'upper_bound',
    enabled: true,
    cooldown_seconds: 0,
    notification_webhook_ids: [],
    ...fields,
  } as AlertRule;
}

const state = (parts: Partial<WorkspaceState>): WorkspaceState => ({
  webhooks: [],
  rules: [],
  settings: { name: null, notice_webhook_ids: [], etag: '' },
  ...parts,
});

const exported = (of: WorkspaceState, options: { namespace?: string; withIds?: boolean } = {}) =>
  toYaml(createWorkspaceFile(of, { withIds: true, ...options }).file);

test('an export escapes control and format characters, and reading it returns the same texts', () => {
  const name = 'a\u001b[31m\u009b\u0085\u202e\u2066\u200f\u061c\u2028z';
  const body = `{\n  "text": "\u202e${'long '.repeat(30)}\u009b"\n}`;
  const text = exported(state({ webhooks: [webhook({ name, body })] }));
  expect(text).toMatch(/^[\n -~]*$/);
  expect(readWorkspaceFile(text, 'w.yaml').content.webhooks).toMatchObject([{ name, body }]);
});

test('an export replaces URLs and header values by variables and omits default values', () => {
  const chat = webhook({
    name: 'Chat ops',
    external_id: 'risk/chat',
    headers: { Authorization: ['Bearer s3cret'], 'X-Team': ['a', 'b'], 'X-None': [] },
    body: '{\n  "a": 1\n}\n',
    timeout_ms: 5_000,
  });
  const text = exported(
    state({
      webhooks: [webhook({ id: id(2), name: '1 中' }), webhook({ id: id(3), name: 'Chat-Ops' }), chat],
      rules: [rule({ notification_webhook_ids: [chat.id, id(2)] })],
      settings: { name: 'Risk', notice_webhook_ids: [id(3)], etag: '' },
    }),
  );
  expect(text.replace(/^#.*\n/gm, '').trimStart()).toBe(`namespace: risk
settings:
  name: Risk
  notice_webhooks:
    - Chat-Ops
webhooks:
  - id: ${id(2)}
    name: 1 中
    url: \${WEBHOOK_1_URL}
    body: "{}"
  - external_id: risk/chat
    name: Chat ops
    url: \${CHAT_OPS_URL}
    headers:
      Authorization: \${CHAT_OPS_AUTHORIZATION}
      X-Team:
        - \${CHAT_OPS_X_TEAM}
        - \${CHAT_OPS_X_TEAM_2}
      X-None: []
    body: |
      {
        "a": 1
      }
    timeout_ms: 5000
  - id: ${id(3)}
    name: Chat-Ops
    url: \${CHAT_OPS_URL_2}
    body: "{}"
alert_rules:
  - id: ${id(9)}
    name: drift
    model_id: ${id(5)}
    threshold: 0.5
    bound: upper_bound
    notification_webhooks:
      - Chat ops
      - 1 中
`);
  expect(text).not.toContain('secret');
});

test('an exported rule refers to webhooks with equal names by external id, or else by id', () => {
  const webhooks = [webhook({}), webhook({ id: id(2), external_id: 'risk/two' })];
  const text = exported(state({ webhooks, rules: [rule({ notification_webhook_ids: [id(1), id(2)] })] }));
  expect(text).toContain(`    notification_webhooks:\n      - ${id(1)}\n      - risk/two\n`);
});

test('an export requires --namespace if several namespaces are in use', () => {
  const both = state({
    webhooks: [webhook({ external_id: 'a/x' }), webhook({ id: id(2), external_id: 'b/x' })],
  });
  expect(() => exported(both)).toThrow('Several namespaces are in use: give --namespace with one of a, b.');
  const { file, leftOut } = createWorkspaceFile(both, { namespace: 'b', withIds: true });
  expect([file.webhooks?.length, leftOut]).toEqual([1, ['a/x']]);
  expect(createWorkspaceFile(state({}), { withIds: true }).file.namespace).toBe('default');
});

test('an export without ids fails if resources without external ids have equal names', () => {
  const twins = state({ webhooks: [webhook({}), webhook({ id: id(2) })] });
  expect(() => exported(twins, { withIds: false })).toThrow('Several have the name "chat".');
});

test('an export without ids refers to a webhook without external id as the file names it', () => {
  const webhooks = [webhook({}), webhook({ id: id(2), external_id: 'risk/two' })];
  const rules = [rule({ notification_webhook_ids: [id(1), id(2)] })];
  const text = exported(state({ webhooks, rules }), { withIds: false });
  expect(text).toContain('    notification_webhooks:\n      - risk/chat\n      - risk/two\n');
  const file = readWorkspaceFile(text, 'w.yaml');
  const env = { CHAT_URL: 'https://a.example.com', CHAT_URL_2: 'https://b.example.com' };
  expect(createPlan({ file, state: state({}), env, prune: false }).steps).toHaveLength(3);
});

test('applying the export of any workspace to the same workspace changes nothing', () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 30 })
    .filter((made) => made.isWellFormed());
  const line = fc.oneof(
    text,
    fc.constantFrom('a\r\nb', ' x\n y', '\n', 'yes', '0x1', '- a', '# b', '${A}', 'a: b', '\u2028', '\ufeff'),
  );
  const body = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
  const made = fc.record({
    name: line,
    body,
    headers: fc.dictionary(fc.constantFrom('A', 'b-c', 'X_1'), fc.array(line, { maxLength: 2 })),
  });
  fc.assert(
    fc.property(fc.array(made, { maxLength: 4 }), line, (fields, name) => {
      const webhooks = fields.map((each, index) => webhook({ ...each, id: id(index) }));
      const rules = [rule({ name, notification_webhook_ids: webhooks.map((each) => each.id) })];
      const of = state({ webhooks, rules, settings: { name, notice_webhook_ids: [], etag: '' } });
      const file = readWorkspaceFile(exported(of), 'w.yaml');
      expect(createPlan({ file, state: of, env: {}, prune: true }).steps).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
