import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test' });

/**
 * Creates a trigger that rejects alerts of this model. Its error is not classified as an invalid value, so the alert
 * does not become a dead letter.
 */
async function refuse(modelName: string) {
  await harness.database.knex.raw(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.model_name = '${modelName}' then raise exception 'not this one'; end if; return new; end $$`);
  await harness.database.knex.raw(
    'create trigger refuse before insert on alerts for each row execute function refuse()',
  );
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('an alert whose row the database rejects is retried, and other alerts are not delayed', async () => {
  const bad = randomUUID();
  await refuse(bad);
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  // All alerts are in the queue before the worker starts, so that they are in one batch.
  for (let index = 0; index < 100; index += 1)
    await harness.fire(rule, index === 50 ? { model_name: bad } : {});
  const metrics = { host: '127.0.0.1', port: await findFreePort() };
  await harness.startWorker({ metrics });
  await until('the others are delivered', () => harness.destination.at(target.path).length === 99);
  expect(await harness.database.knex('dead_letters')).toEqual([]);
  await until('each of its failures is counted', async () => {
    const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`);
    return /^tocsin_messages_failed_total\S* ([2-9]|\d\d)/m.test(await response.text());
  });
  await harness.database.knex.raw('drop trigger refuse on alerts');
  await until('the rejected one is delivered', () => harness.destination.at(target.path).length === 100);
});
