// A client publishes an alert over REST as part of a trace. The destination fails once, so the delivery is claimed
// twice. The OTLP receiver must receive one tree of spans: one span of the request, one of the fan-out, and one for
// each claim of the delivery. Each span of a claim has one child, the span of its attempt.
import { randomUUID } from 'node:crypto';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { findFreePorts } from '@tocsin/local';
import { createBroker, createPublisher } from '@tocsin/messaging';
import { type HttpReceiver, startHttpReceiver, until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import {
  createTestDatabase,
  insertAlertRule,
  insertWebhook,
  type TestDatabase,
} from '@tocsin/testing/database';
import { tokenOf, workspaceId } from './support/requests.js';
import { longWait, type Service, startService, stop, testSettings } from './support/stack.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

let database: TestDatabase;
let amqpUrl: string;
let receiver: HttpReceiver;
let destination: HttpReceiver;
let services: Service[];
let ruleId: string;
let env: Record<string, string>;

beforeAll(async () => {
  [database, receiver, destination] = await Promise.all([
    createTestDatabase(),
    startHttpReceiver(),
    startHttpReceiver(),
  ]);
  amqpUrl = (await createTestBroker()).url;
  const known = new Set<string>();
  destination.respond('/hook', ({ body }, response) => {
    response.writeHead(known.has(body) ? 200 : 500).end();
    known.add(body);
  });
  const webhookId = await insertWebhook(database.database, {
    workspaceId,
    url: destination.url('/hook'),
    body: '{"alert": "{{ alert_id }}"}',
  });
  ruleId = await insertAlertRule(database.database, { workspaceId, webhookIds: [webhookId] });
  env = {
    ...testSettings(database.url, amqpUrl),
    RETRY_SCHEDULE: '50ms,50ms',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url(''),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=risk',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const ports = await findFreePorts(4);
  services = await Promise.all([
    startService('webhook-api', { env, ports: [ports[0] ?? 0, ports[1] ?? 0] }),
    startService('delivery-worker', { env, ports: [ports[2] ?? 0, ports[3] ?? 0] }),
  ]);
}, 60_000);
afterAll(async () => {
  await stop(services);
  await Promise.all([receiver.close(), destination.close(), database.drop()]);
});

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  service: string;
  status: number | undefined;
}

interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: (Omit<Span, 'service' | 'status'> & { status: { code?: number } })[] }[];
  }[];
}

function spansOf(id: string): Span[] {
  return receiver
    .at('/v1/traces')
    .flatMap(({ body }) => (JSON.parse(body) as OtlpRequest).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      return scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({ ...span, service, status: span.status.code })),
      );
    })
    .filter((span) => span.traceId === id);
}

/** Formats all descendants of a span: one line for each span, indented by depth. */
function draw(spans: Span[], parent: string | undefined, depth = 0): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap(({ service, name, status, spanId }) => [
      `${'  '.repeat(depth)}${service}: ${name}${status === 2 ? ' (failed)' : ''}`,
      ...draw(spans, spanId, depth + 1),
    ]);
}

const deliveries = [
  'delivery-worker: fan out alert',
  '  delivery-worker: deliver (failed)',
  '    delivery-worker: POST (failed)',
  '  delivery-worker: deliver',
  '    delivery-worker: POST',
];

function alert() {
  return { alert_rule_id: ruleId, model_id: randomUUID(), model_name: 'churn', metric_value: 1 };
}

async function publishOverRest(headers: Record<string, string>): Promise<void> {
  const response = await fetch(`${services[0]?.url}/api/v1/workspaces/${workspaceId}/alerts`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await tokenOf('publisher')}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(alert()),
  });
  expect(response.status).toBe(202);
}

test('one trace contains the POST of the client and each attempt of the alert', async () => {
  await publishOverRest({ traceparent });
  await until('all spans have arrived', () => spansOf(traceId).length === 6, longWait);
  expect(draw(spansOf(traceId), '00f067aa0ba902b7')).toEqual([
    'webhook-api: POST /api/v1/workspaces/{workspace_id}/alerts',
    ...deliveries.map((line) => `  ${line}`),
  ]);
});

test('one trace contains the publish over AMQP and each attempt of the alert', async () => {
  const id = randomUUID().replaceAll('-', '');
  const broker = await createBroker({ url: amqpUrl, name: 'test' });
  await broker.ready();
  const publisher = await createPublisher(broker);
  const facts = { alert_id: randomUUID(), workspace_id: workspaceId, fired_at: new Date().toISOString() };
  await publisher.publish({
    exchange: alertsExchange,
    routingKey: alertFiredKey,
    content: Buffer.from(JSON.stringify({ ...alert(), ...facts })),
    headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` },
  });
  await broker.close();
  await until('all spans have arrived', () => spansOf(id).length === 5, longWait);
  expect(draw(spansOf(id), '00f067aa0ba902b7')).toEqual(deliveries);
});

test('the API starts a new trace for a request without a valid trace context', async () => {
  const roots = () =>
    receiver
      .at('/v1/traces')
      .flatMap(({ body }) => (JSON.parse(body) as OtlpRequest).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .filter(({ name, parentSpanId }) => name.startsWith('POST /api') && !parentSpanId);
  await publishOverRest({});
  await publishOverRest({ traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` });
  await publishOverRest({ traceparent: 'x'.repeat(55) });
  await until('three traces have begun', () => roots().length === 3, longWait);
  for (const { traceId: id } of roots())
    await until('the trace has its attempts', () => spansOf(id).length === 6, longWait);
});

test('destinations receive no trace context, and the OTEL_* settings apply to exported traces', () => {
  const names = destination.received.flatMap(({ rawHeaders }) =>
    rawHeaders.filter((_, index) => index % 2 === 0),
  );
  expect(names.filter((name) => /trace|baggage/i.test(name))).toEqual([]);
  const [first] = receiver.at('/v1/traces');
  expect(first?.rawHeaders.join(' ')).toContain('x-tenant risk');
  expect(first?.body).toContain('deployment.environment.name');
});

test('a failing OTLP receiver delays no delivery, and the failure is logged once', async () => {
  receiver.respond('/v1/traces', (_, response) => void response.writeHead(400).end());
  const before = destination.received.length;
  await publishOverRest({});
  await until('both attempts were made', () => destination.received.length === before + 2, longWait);
  await until('the failure is logged', () => services[1]?.lines('tracing.failed').length === 1, longWait);
});

test.each([
  ['with an endpoint loads', true],
  ['without an endpoint does not load', false],
])('a service %s the OpenTelemetry SDK', async (_, loads) => {
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const service = await startService('delivery-worker', {
    // With NODE_DEBUG=module, Node.js writes the name of each loaded module to standard error.
    env: { ...env, ...(!loads && { OTEL_EXPORTER_OTLP_ENDPOINT: '' }), NODE_DEBUG: 'module' },
    ports: [port, metricsPort],
  });
  await stop([service]);
  expect(service.output().includes('@opentelemetry/sdk-trace')).toBe(loads);
});
