import type { AlertRule, Webhook } from '../../src/api/schemas.js';
import { createPlan, type Step, webhookDefaults } from '../../src/cli/workspace-file/plan.js';
import { readWorkspaceFile } from '../../src/cli/workspace-file/read-workspace-file.js';
import type { WorkspaceState } from '../../src/cli/workspace-file/workspace-state.js';

export const model = 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11';

export const chat = {
  id: '11111111-1111-4111-8111-111111111111',
  external_id: 'risk/chat',
  name: 'chat',
  url: 'https://example.com/stored',
  headers: { Authorization: ['stored'], 'X-Team': ['a'] },
  body: '{}',
  ...webhookDefaults,
} as unknown as Webhook;
export const pager = {
  ...chat,
  id: '22222222-2222-4222-8222-222222222222',
  external_id: null,
  name: 'pager',
  headers: {},
};
export const drift = {
  id: '33333333-3333-4333-8333-333333333333',
  external_id: 'risk/drift',
  name: 'drift',
  model_id: model,
  threshold: 0.5,
  bound: 'upper_bound',
  enabled: true,
  cooldown_seconds: 0,
  notification_webhook_ids: [chat.id],
} as unknown as AlertRule;

/** Returns a workspace with the webhooks `chat` and `pager` and the rule `drift`. */
export const state = (parts: Partial<WorkspaceState> = {}): WorkspaceState => ({
  webhooks: [chat, pager],
  rules: [drift],
  settings: { name: null, notice_webhook_ids: [], etag: '"1"' },
  ...parts,
});

interface Given {
  env?: NodeJS.ProcessEnv;
  prune?: boolean;
  of?: WorkspaceState;
}

/** Creates the plan that applies a file with the namespace `risk` to a workspace. */
export function plan(text: string, { env = {}, prune = false, of = state() }: Given = {}) {
  const file = readWorkspaceFile(`namespace: risk\n${text}`, 'w.yaml');
  return createPlan({ file, state: of, env, prune });
}

/** Returns one line for each step: its action, kind, label and changed fields. */
export const shown = (steps: Step[]) =>
  steps.map(({ action, kind, label, fields }) => `${action} ${kind} ${label}: ${fields.join(' ')}`);

/** Returns a part of a workspace file: a list with one webhook, and the text `more` after it. */
export const entry = (more = '', name = 'chat') => `webhooks:
  - name: ${name}
    url: \${URL}
    headers: {Authorization: "\${TOKEN}", X-Team: a}
    body: "{}"
${more}`;
