import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AlertRule, Webhook, WorkspaceSettings } from '../../src/api/schemas.js';
import { useCliStack } from './cli-stack.js';

export const otherWorkspace = process.env.TOCSIN_TEST_OTHER_WORKSPACE_ID ?? '';
export const inOther = ['--workspace', otherWorkspace, '--as', 'outsider'];

/** Environment variables that the text of `workspaceFile` uses. */
export const secrets = { CHAT_URL: 'https://127.0.0.1:9/s3cret-path', CHAT_TOKEN: 's3cret-token' };

const model = 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11';

/** Returns the text of a workspace file with two webhooks, a rule, settings, and the text `more` at its end. */
export const workspaceFile = (more = '') => `namespace: risk
settings:
  name: Risk team
  notice_webhooks: [pager]
webhooks:
  - name: chat
    url: \${CHAT_URL}
    headers:
      Authorization: Bearer \${CHAT_TOKEN}
      X-Team: [a, "b: c"]
    body: |
      {"text": "{{ alert_rule_name }}"}
    rate_limit: {requests: 5, period_ms: 1000}
  - name: pager
    external_id: risk/pager
    url: http://127.0.0.1:9/
    body: '{}'
    enabled: false
alert_rules:
  - name: Accuracy
    model_id: ${model}
    threshold: 0.9
    bound: lower_bound
    cooldown_seconds: 60
    notification_webhooks: [pager, risk/chat]
${more}`;

/** Starts a stack before all tests of a file, and empties two of its workspaces before each test. */
export function useWorkspaceFiles() {
  const stack = useCliStack();
  const { run, runJson } = stack;
  beforeEach(async () => {
    for (const options of [[], inOther]) {
      await run(['settings', 'update', '--no-name', '--no-notice-webhook', ...options]);
      for (const list of ['rules', 'webhooks'])
        for (const { id } of await runJson<{ id: string }[]>([list, 'list', ...options]))
          await run([list, 'delete', id, ...(list === 'webhooks' ? ['--force'] : []), ...options]);
    }
  });
  return {
    stack,
    run,
    runJson,
    /** Writes a text to a file in the temporary directory. Returns the path of the file. */
    save(text: string, name = 'workspace.yaml'): string {
      const path = join(stack.directory, name);
      writeFileSync(path, text);
      return path;
    },
    apply: (path: string, ...more: string[]) =>
      run(['apply', '-f', path, '--yes', ...more], { env: secrets }),
    listAll: async (options: string[] = []) => ({
      webhooks: await runJson<Webhook[]>(['webhooks', 'list', ...options]),
      rules: await runJson<AlertRule[]>(['rules', 'list', ...options]),
      settings: await runJson<WorkspaceSettings>(['settings', 'get', ...options]),
    }),
  };
}
