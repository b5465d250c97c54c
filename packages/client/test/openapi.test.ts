import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createEngineClient, createPlatformClient } from '../src/index.js';
import { generateTypes, type OpenApiDocument } from './support/generate-types.js';
import { startServices } from './support/services.js';

let documents: OpenApiDocument[];
beforeAll(async () => {
  const services = await startServices();
  documents = services.documents;
  await services.close();
});

test("the client's types equal the schemas that the services serve", () => {
  const file = fileURLToPath(new URL('../src/api/schemas.ts', import.meta.url));
  const generated = format(generateTypes(documents));
  if (process.env.REGENERATE !== undefined) writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});

test('the client has a method for each operation of both APIs', async () => {
  const called = await recordCalls();
  const operations = documents.flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    ),
  );
  const asTemplates = called.map((call) => templateOf(call, operations));
  expect([...new Set(asTemplates)].sort()).toEqual([...new Set(operations)].sort());
});

function format(source: string): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const args = ['format', '--colors=off', '--stdin-file-path=packages/client/src/api/schemas.ts'];
  return execFileSync(`${root}node_modules/.bin/biome`, args, { cwd: root, input: source, encoding: 'utf8' });
}

/**
 * Returns the operation of a call, such as `get /a/{id}` for the call `get /a/ID`. Returns the call unchanged if no
 * operation matches.
 */
function templateOf(call: string, operations: string[]): string {
  const fits = (operation: string) =>
    new RegExp(`^${operation.replaceAll(/\{[^}]+\}/g, 'ID').replaceAll('.', '\\.')}$`).test(call);
  return operations.find(fits) ?? call;
}

/** Calls every method of both clients and returns the requests, such as `get /a/ID`. */
async function recordCalls(): Promise<string[]> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method?.toLowerCase()} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const platform = createPlatformClient({ url, credential: 'x', workspaceId: 'ID' });
  const engine = createEngineClient({ url, credential: 'x' });
  const fire = { alert_rule_id: 'a', model_id: 'b', model_name: 'c', metric_value: 1 };
  const rule = { name: 'a', model_id: 'b', threshold: 1, bound: 'upper_bound' } as const;

  await platform.webhooks.list().toArray();
  await platform.webhooks.create({ name: '', url: '', body: '' });
  await platform.webhooks.get('ID');
  await platform.webhooks.update('ID', {});
  await platform.webhooks.delete('ID');
  await platform.webhooks.test({ url: '', body: '' });
  await platform.webhooks.testSaved('ID');
  await platform.webhooks.preview({ body: '' });
  await platform.webhooks.signingSecrets.create('ID');
  await platform.webhooks.signingSecrets.list('ID').toArray();
  await platform.webhooks.signingSecrets.delete('ID', 'ID');
  await platform.alertRules.list().toArray();
  await platform.alertRules.create(rule);
  await platform.alertRules.get('ID');
  await platform.alertRules.update('ID', {});
  await platform.alertRules.delete('ID');
  await platform.alerts.fire(fire).catch(() => {}); // These two responses confirm no alert.
  await platform.alerts.fireBatch([fire]).catch(() => {});
  await platform.alerts.list().toArray();
  await platform.alerts.get('ID');
  await platform.alerts.dispatch('ID');
  await platform.deliveries.list().toArray();
  await platform.deliveries.get('ID');
  await platform.deliveries.redeliver('ID');
  await platform.deliveries.stats();
  await platform.deliveries.cancel('ID');
  for (const jobs of [platform.redeliveries, platform.dispatches, platform.cancellations]) {
    await jobs.create({ all: true });
    await jobs.list().toArray();
    await jobs.get('ID');
    await jobs.cancel('ID');
  }
  await platform.deadLetters.list().toArray();
  await platform.deadLetters.listInWorkspace().toArray();
  await platform.deadLetters.requeue('ID');
  await platform.workspaces.list().toArray();
  await platform.settings.get();
  await platform.settings.update({});
  await platform.auditEvents.list().toArray();
  await platform.auditEvents.listAll().toArray();
  await platform.whoami();
  await platform.health.liveness();
  await platform.health.readiness();
  await engine.keys.create({ description: '' });
  await engine.keys.list();
  await engine.keys.get('ID');
  await engine.keys.deactivate('ID');
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) await engine.verify({ method });
  await engine.health.liveness();
  await engine.health.readiness();

  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return calls;
}
