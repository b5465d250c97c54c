import { randomUUID } from 'node:crypto';
import { requestIdHeader } from '@tocsin/contracts';
import { until } from '@tocsin/testing';
import { alertMessage, useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());

test.each([
  ['malformed_message', () => Buffer.from('{"alert_id":')],
  ['malformed_message', () => Buffer.from([0xff, 0xfe])],
  ['malformed_message', () => Buffer.from('\0')],
  [
    'invalid_message',
    () =>
      Buffer.from(
        JSON.stringify({
          ...alertMessage({ ruleId: randomUUID(), workspaceId: randomUUID() }),
          fired_at: '2026-12-31T23:59:60+02:00',
        }),
      ),
  ],
  [
    'invalid_message',
    () =>
      Buffer.from(
        JSON.stringify({
          ...alertMessage({ ruleId: randomUUID(), workspaceId: randomUUID() }),
          alert_id: `urn:uuid:${randomUUID()}`,
        }),
      ),
  ],
  ['invalid_message', () => Buffer.from('{"alert_id": "no uuid"}')],
  ['invalid_message', () => Buffer.from(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)],
])(
  'a message with the fault %s becomes a dead letter, and the next alert is delivered',
  async (reason, content) => {
    const before = await harness.database.knex('dead_letters').count().first();
    const bytes = content();
    await harness.publishRaw(bytes);
    const letter = await until('the dead letter is written', async () => {
      const rows = await harness.database.knex('dead_letters').orderBy('id', 'desc');
      return rows.length > Number(before!.count) && rows[0];
    });
    expect(letter).toMatchObject({ reason, queue: 'alert-fired', routing_key: 'alert.fired' });
    expect(letter.content.equals(bytes)).toBe(true);
    const target = await harness.addTarget();
    await harness.settled(await harness.fire(await harness.addRule([target.id])), 1);
  },
);

test('a message above the maximum size of an alert becomes a truncated dead letter', async () => {
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  const alert = JSON.stringify(alertMessage({ ruleId: rule, workspaceId: harness.workspaceId }));
  const largest = alert.padEnd(1_048_576);
  await harness.publishRaw(Buffer.from(`${largest} `));
  const letter = await until('the dead letter is written', () =>
    harness.database.knex('dead_letters').where('detail', 'like', '%1048577 bytes%').first(),
  );
  expect(letter).toMatchObject({ reason: 'invalid_message' });
  expect(letter.content.toString()).toBe(largest.slice(0, 131_072));
  await harness.publishRaw(Buffer.from(largest));
  await until('the largest one is delivered', () => harness.destination.at(target.path).length === 1);
});

test('alerts are accepted while the table of dead letters is locked', async () => {
  const target = await harness.addTarget();
  const garbage = Array.from({ length: 500 }, (_, index) => Buffer.from(`{"flood ${index}`));
  await harness.database.knex.transaction(async (trx) => {
    await trx.raw('lock table dead_letters in access exclusive mode');
    await Promise.all(garbage.map((content) => harness.publishRaw(content)));
    await harness.settled(await harness.fire(await harness.addRule([target.id])), 1);
  });
  await until('all are dead letters', async () => {
    const rows = await harness.database.knex('dead_letters').whereIn('content', garbage);
    return rows.length === garbage.length;
  });
});

test('a message with an unknown routing key becomes a dead letter with the reason unrouted', async () => {
  const content = Buffer.from(JSON.stringify({ some: randomUUID() }));
  await harness.publishRaw(content, {}, 'alert.ended');
  const letter = await until('the dead letter is written', () =>
    harness.database.knex('dead_letters').where({ content }).first(),
  );
  expect(letter).toMatchObject({
    reason: 'unrouted',
    queue: 'alerts-unrouted',
    routing_key: 'alert.ended',
    detail: expect.stringContaining('alert.ended'),
  });
});

test('an alert published while the queue of alerts is not bound to the exchange is delivered', async () => {
  const target = await harness.addTarget();
  const ruleId = await harness.addRule([target.id]);
  const alertId = await harness.whileUnbound(() => harness.fire(ruleId));
  await harness.settled(alertId, 1);
});

test.each([
  ['a-request/1', 'a-request/1'],
  ['no\nid', null],
])('a dead letter stores the request id of its message only if the id is valid: %j', async (given, kept) => {
  const content = Buffer.from(`{"no alert": "${randomUUID()}"}`);
  await harness.publishRaw(content, { [requestIdHeader]: given });
  const letter = await until('the dead letter is written', () =>
    harness.database.knex('dead_letters').where({ content }).first(),
  );
  expect(letter.request_id).toBe(kept);
});

test('an alert of an unknown rule, or of a rule of another workspace, becomes a dead letter', async () => {
  const foreign = await harness.addRule([], { workspaceId: randomUUID() });
  for (const ruleId of [randomUUID(), foreign]) {
    const alertId = await harness.fire(ruleId);
    await until('the dead letter names the rule', async () => {
      const rows = await harness.database.knex('dead_letters').where({ reason: 'unknown_alert_rule' });
      return rows.some((row) => row.detail.includes(ruleId));
    });
    expect(await harness.alertOf(alertId)).toBeUndefined();
  }
});
