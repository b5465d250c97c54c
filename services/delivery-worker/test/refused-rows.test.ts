import { randomUUID } from 'node:crypto';
import { createStage, type Stage } from './support/stage.js';
import { until } from './support/until.js';

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

test('an alert whose row is refused for whatever reason keeps no other out, and is delivered once it is not refused', async () => {
  const bad = randomUUID();
  await refuse(bad);
  const target = await stage.addTarget();
  const rule = await stage.addRule([target.id]);
  // All of them lie in the queue when the worker comes, and come in one batch.
  for (let index = 0; index < 100; index += 1)
    await stage.fire(rule, index === 50 ? { model_name: bad } : {});
  await stage.startWorker();
  await until('the others are delivered', () => stage.destination.at(target.path).length === 99);
  expect(await stage.database.knex('dead_letters')).toEqual([]);
  await stage.database.knex.raw('drop trigger refuse on alerts');
  await until('it is delivered too', () => stage.destination.at(target.path).length === 100);
});
