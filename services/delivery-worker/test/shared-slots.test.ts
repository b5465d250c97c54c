import { randomUUID } from 'node:crypto';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const slots = 40;
const harness = useWorkerHarness({ slots });
beforeAll(() => harness.startWorker());

test('new webhooks get slots while slow webhooks of another workspace use all unreserved slots', async () => {
  let inFlight = 0;
  const drip = (path: string) =>
    harness.destination.respond(path, (_, response) => {
      inFlight += 1;
      response.writeHead(200).write('a');
      const dripMs = 1_500 + 1_500 * Math.random();
      setTimeout(() => {
        inFlight -= 1;
        response.end('b');
      }, dripMs);
    });
  const slow = await Promise.all(Array.from({ length: 3 }, () => harness.addTarget()));
  for (const { path } of slow) drip(path);
  const slowRule = await harness.addRule(slow.map(({ id }) => id));
  for (let index = 0; index < 300; index += 1) await harness.fire(slowRule);
  const { received } = harness.destination;
  // Slow webhooks may use three quarters of the slots.
  const isFull = () => received.length >= 120 && inFlight >= (slots * 3) / 4 - 5;
  await until('slow webhooks have their slots', isFull, { timeoutMs: 60_000 });
  const before = received.length;

  const others = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const workspaceId = randomUUID();
      const target = await harness.addTarget({ workspace: workspaceId });
      const ruleId = await harness.addRule([target.id], { workspaceId });
      await harness.fire(ruleId, { workspace_id: workspaceId });
      return target.path;
    }),
  );
  const areCalled = () => others.every((path) => harness.destination.at(path).length === 1);
  await until('each of the others has been called', areCalled, { timeoutMs: 60_000 });
  // Usually about 6 requests arrive until each new webhook has been called. If a released slot always went to the
  // webhook that released it, hundreds of requests to slow webhooks would arrive first.
  expect(received.length - before).toBeLessThan(150);
}, 180_000);
