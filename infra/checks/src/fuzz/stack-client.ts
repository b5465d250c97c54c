import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { FuzzValues } from './prepare-document.js';

/** The members of `.tocsin/stack.json` that fuzzing needs. */
export interface RunningStack {
  api_url: string;
  engine_url: string;
  auth_url: string;
  realm: string;
  inbox_url: string;
  workspace_id: string;
  clients: Record<string, { client_id: string; client_secret: string }>;
}

/**
 * Reads the addresses and credentials of the running stack.
 * @throws Error if the file does not exist, which means that no stack of `npm start` is running
 */
export function readStack(file: string): RunningStack {
  if (!existsSync(file)) throw new Error(`There is no ${file}: no stack is running. ${howToStart}`);
  return JSON.parse(readFileSync(file, 'utf8')) as RunningStack;
}

export const howToStart = `Start one in another terminal:
  ACCESS_TOKEN_TTL_SECONDS=7200 REQUESTS_PER_MINUTE=1000000 WORKSPACE_REQUESTS_PER_MINUTE=1000000 TESTS_PER_MINUTE=100000 npm start`;

/**
 * Minimum lifetime of a token in seconds. A run takes less time. With an expired token every response has status 401,
 * so the rest of a run would find no faults.
 */
const shortestTokenSeconds = 3_600;

/**
 * Requests an access token that stays valid for the whole run.
 * @throws Error if the provider issues no token, or if its tokens expire too soon
 */
export async function fetchToken({ auth_url, realm, clients }: RunningStack, role: string): Promise<string> {
  const response = await fetch(`${auth_url}/realms/${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] }),
  });
  if (!response.ok) throw new Error(`The provider returned no token for ${role}: ${response.status}.`);
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  if (expires_in < shortestTokenSeconds)
    throw new Error(`Tokens of this stack expire after ${expires_in} s, within the run. ${howToStart}`);
  return access_token;
}

const keptCount = 2;
const deletableCount = 40;

/** Creates the resources that generated requests use, and publishes alerts, some of which are delivered. */
export async function createResources(stack: RunningStack, token: string): Promise<FuzzValues> {
  const post = async (path: string, body: object): Promise<{ id: string; alert_id: string }> => {
    const response = await fetch(`${stack.api_url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} is ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; alert_id: string };
  };
  const create = (path: string, body: object) => post(`workspaces/${stack.workspace_id}/${path}`, body);
  const url = `${stack.inbox_url}/fuzz`;
  const bodies = [
    '{"rule": "{{ alert_rule_name }}"}',
    '{"value": {{ metric_value | round(2) }}}',
    '{{ alert | tojson }}',
  ];
  const webhookIds = await repeat(keptCount + deletableCount, async (index) => {
    const target = index % 2 === 0 ? url : `${stack.inbox_url}/status/500`;
    const webhook = { name: `Fuzz ${index}`, url: target, headers: {}, body: bodies[index % bodies.length] };
    return (await create('webhooks', webhook)).id;
  });
  const kept = webhookIds.slice(0, keptCount);
  const ruleIds = await repeat(keptCount + deletableCount, async (index) => {
    const notified = index < keptCount ? kept : [];
    const rule = { name: `Fuzz ${index}`, model_id: randomUUID(), threshold: 0.5, bound: 'upper_bound' };
    return (await create('alert_rules', { ...rule, notification_webhook_ids: notified })).id;
  });
  const alertIds = await repeat(20, async (index) => {
    const alert = {
      alert_rule_id: ruleIds[index % 3],
      model_id: randomUUID(),
      model_name: 'Fuzz',
      metric_value: index,
    };
    return (await create('alerts', alert)).alert_id;
  });
  const deliveries = await fetch(
    `${stack.api_url}/api/v1/workspaces/${stack.workspace_id}/deliveries?limit=20`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  const deliveryIds = ((await deliveries.json()) as { id: string }[]).map(({ id }) => id);
  const [firstId = ''] = kept;
  const secrets = await repeat(2, () => post(`webhooks/${firstId}/signing_secrets`, {}));
  const jobs = {
    redelivery_id: [(await create('redeliveries', { all: true })).id],
    dispatch_id: [(await create('dispatches', { all: true })).id],
    cancellation_id: [(await create('cancellations', { all: true })).id],
  };
  const unknown = randomUUID();
  const workspaces = { workspace_id: [stack.workspace_id] };
  return {
    url,
    bodies,
    ids: {
      ...workspaces,
      ...jobs,
      secret_id: secrets.map(({ id }) => id),
      webhook_id: [...kept, unknown],
      alert_rule_id: [...ruleIds.slice(0, keptCount), unknown],
      alert_id: [...alertIds, unknown],
      delivery_id: [...deliveryIds, unknown],
    },
    deletableIds: {
      ...workspaces,
      ...jobs,
      webhook_id: webhookIds.slice(keptCount),
      alert_rule_id: ruleIds.slice(keptCount),
    },
  };
}

async function repeat<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let index = 0; index < count; index += 1) results.push(await work(index));
  return results;
}
