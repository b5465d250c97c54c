import { randomUUID } from 'node:crypto';
import type { ReceivedRequest } from '../inbox/request-log.js';
import { waitUntil } from '../processes/wait-until.js';
import type { StackFile } from './stack-file.js';

export interface SampleOutcome {
  webhookId: string;
  alertRuleId: string;
  alertId: string;
  /** Body of the request that the inbox received. */
  arrivedBody: string;
  /** Record of the delivery, as returned by the API. */
  record: unknown;
}

const webhookName = 'Sample: to the inbox';
const ruleName = 'Sample: accuracy too low';
const timeoutMs = 20_000;

const sampleBody = `{# Every variable of the template rules, and one that nobody sets. -#}
{
  "text": "{{ alert_rule_name }} fired for {{ model_name }}",
  "value": {{ metric_value | round(2) }},
  "threshold": {{ threshold }},
  "bound": "{{ bound }}",
  "alert": "{{ alert_id }}",
  "fired_at": "{{ fired_at }}",
  "rule": "{{ alert_rule_id }}",
  "model": "{{ model_id }}",
  "workspace": "{{ workspace_id }}",
  "team": "{{ team | default('nobody yet') }}"
}`;

/** Creates or resets the sample webhook and rule, publishes one alert and waits for the record of its delivery. */
export async function runSample(stack: StackFile): Promise<SampleOutcome> {
  const api = createApi(stack, await fetchToken(stack));
  const workspace = `/workspaces/${stack.workspace_id}`;
  const webhook = await ensure(api, `${workspace}/webhooks`, '/webhooks', {
    name: webhookName,
    url: `${stack.inbox_url}/sample`,
    headers: { 'Content-Type': ['application/json'], 'X-Sample': ['one line', 'another line'] },
    body: sampleBody,
    enabled: true,
  });
  const rule = await ensure(api, `${workspace}/alert_rules`, '/alert_rules', {
    name: ruleName,
    model_id: sampleModelId,
    threshold: 0.9,
    bound: 'lower_bound',
    enabled: true,
    notification_webhook_ids: [webhook.id],
  });
  const alertId = randomUUID();
  await api('POST', `${workspace}/alerts`, {
    alert_id: alertId,
    alert_rule_id: rule.id,
    model_id: sampleModelId,
    model_name: 'Churn “v2”',
    metric_value: 0.8437,
  });
  const arrived = await waitUntil(() => findArrived(stack, alertId), {
    what: `alert ${alertId} in the inbox`,
    timeoutMs,
  });
  const record = await waitUntil(() => findOutcome(api, workspace, alertId), {
    what: `outcome of the delivery of alert ${alertId}`,
    timeoutMs,
  });
  return { webhookId: webhook.id, alertRuleId: rule.id, alertId, arrivedBody: arrived.body, record };
}

// No model has this id. The sample can use it, because Tocsin does not check model ids.
const sampleModelId = '00000000-0000-4000-8000-000000000001';

type Api = (method: string, path: string, body?: unknown) => Promise<unknown>;

interface Named {
  id: string;
  name: string;
}

/**
 * Finds the webhook or rule of the sample by its name and resets it to the wanted values, or creates it if there is
 * none. Returns the webhook or rule.
 */
async function ensure(
  api: Api,
  collection: string,
  single: string,
  wanted: { name: string } & Record<string, unknown>,
): Promise<Named> {
  const existing = ((await api('GET', collection)) as Named[]).find(({ name }) => name === wanted.name);
  if (existing === undefined) return (await api('POST', collection, wanted)) as Named;
  return (await api('PATCH', `${single}/${existing.id}`, wanted)) as Named;
}

async function fetchToken({ auth_url, realm, clients }: StackFile): Promise<string> {
  const response = await fetch(`${auth_url}/realms/${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...clients.admin }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok)
    throw new Error(`the provider returned no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

function createApi({ api_url }: StackFile, token: string): Api {
  return async (method, path, body) => {
    const response = await fetch(`${api_url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

async function findArrived({ inbox_url }: StackFile, alertId: string): Promise<ReceivedRequest> {
  const response = await fetch(`${inbox_url}/requests`, { signal: AbortSignal.timeout(timeoutMs) });
  const received = (await response.json()) as ReceivedRequest[];
  const found = received.find(({ body }) => body.includes(alertId));
  if (found === undefined) throw new Error('not received');
  return found;
}

async function findOutcome(api: Api, workspace: string, alertId: string): Promise<unknown> {
  const deliveries = (await api('GET', `${workspace}/deliveries?alert_id=${alertId}`)) as {
    id: string;
    attempts_made: number;
  }[];
  const attempted = deliveries.find(({ attempts_made }) => attempts_made > 0);
  if (attempted === undefined) throw new Error('not attempted');
  return api('GET', `/deliveries/${attempted.id}`);
}
