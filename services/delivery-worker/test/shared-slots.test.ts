import { randomUUID } from 'node:crypto';
import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

const slots = 40;
let stage: Stage;

beforeAll(async () => {
  stage = await createStage({ slots });
  await stage.startWorker();
});
afterAll(() => stage.close());

test('webhooks that are new are heard while another workspace’s many slow ones want every slot', async () => {
  let underWay = 0;
  const drip = (path: string) =>
    stage.destination.respond(path, (_, response) => {
      underWay += 1;
      response.writeHead(200).write('a');
      const dripMs = 1_500 + 1_500 * Math.random();
      setTimeout(() => {
        underWay -= 1;
        response.end('b');
      }, dripMs);
    });
  const slow = await Promise.all(Array.from({ length: 3 }, () => stage.addTarget()));
  for (const { path } of slow) drip(path);
  const slowRule = await stage.addRule(slow.map(({ id }) => id));
  for (let index = 0; index < 300; index += 1) await stage.fire(slowRule);
  const { received } = stage.destination;
  // Of the three quarters that are for such, nearly all.
  const isFull = () => received.length >= 120 && underWay >= (slots * 3) / 4 - 5;
  await until('slow ones have taken their part', isFull, { timeoutMs: 60_000 });
  const before = received.length;

  const others = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const workspaceId = randomUUID();
      const target = await stage.addTarget({ workspace: workspaceId });
      const ruleId = await stage.addRule([target.id], { workspaceId });
      await stage.fire(ruleId, { workspace_id: workspaceId });
      return target.path;
    }),
  );
  const areHeard = () => others.every((path) => stage.destination.at(path).length === 1);
  await until('each of the others has been heard', areHeard, { timeoutMs: 60_000 });
  // It takes six or so on a machine that is free, and hundreds where who ends a request always gets the next.
  expect(received.length - before).toBeLessThan(150);
}, 180_000);
