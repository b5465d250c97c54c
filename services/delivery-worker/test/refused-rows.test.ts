import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

/** Alerts of this model are refused; with an error that is not said to be a value's fault. */
async function refuse(modelName: string) {
  await stage.database.knex.raw(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.model_name = '${modelName}' then raise exception 'not this one'; end if; return new; end $$`);
  await stage.database.knex.raw(
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

test('an alert whose row is refused for whatever reason keeps no other out, and is delivered once it is not refused', async () => {
  const bad = randomUUID();
  await refuse(bad);
  const target = await stage.addTarget();
  const rule = await stage.addRule([target.id]);
  // All of them lie in the queue when the worker comes, and come in one batch.
  for (let index = 0; index < 100; index += 1)
    await stage.fire(rule, index === 50 ? { model_name: bad } : {});
  const metrics = { host: '127.0.0.1', port: await findFreePort() };
  await stage.startWorker({ metrics });
  await until('the others are delivered', () => stage.destination.at(target.path).length === 99);
  expect(await stage.database.knex('dead_letters')).toEqual([]);
  await until('its failures are counted, each time that it is tried', async () => {
    const answer = await fetch(`http://127.0.0.1:${metrics.port}/metrics`);
    return /^tocsin_messages_failed_total\S* ([2-9]|\d\d)/m.test(await answer.text());
  });
  await stage.database.knex.raw('drop trigger refuse on alerts');
  await until('it is delivered too', () => stage.destination.at(target.path).length === 100);
});
