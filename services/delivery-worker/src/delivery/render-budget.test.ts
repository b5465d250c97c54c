import { createRenderBudget } from './render-budget.js';

const nowMs = () => performance.now();

function spend(ms: number) {
  const endsAtMs = nowMs() + ms;
  while (nowMs() < endsAtMs);
}

/** Another workspace that renders every few milliseconds, until it is stopped. */
function startNeighbour(budget: ReturnType<typeof createRenderBudget>) {
  const render = () => void budget.run('neighbour', () => {});
  render();
  const timer = setInterval(render, 5);
  return { stop: () => clearInterval(timer) };
}

test('a workspace with slow templates gets a quarter of the time while another renders', async () => {
  const budget = createRenderBudget(nowMs);
  const neighbour = startNeighbour(budget);
  // Uses up the burst.
  await budget.run('slow', () => spend(200));
  const startedAtMs = nowMs();
  for (let count = 0; count < 8; count += 1) await budget.run('slow', () => spend(20));
  const elapsedMs = nowMs() - startedAtMs;
  neighbour.stop();
  // The first of them makes up for the excess of the burst; timers are exact to a millisecond.
  expect(elapsedMs).toBeGreaterThan(400 + 7 * 80 - 20);
});

test('a workspace that renders alone is not limited', async () => {
  const budget = createRenderBudget(nowMs);
  const startedAtMs = nowMs();
  for (let count = 0; count < 20; count += 1) await budget.run('slow', () => spend(20));
  expect(nowMs() - startedAtMs).toBeLessThan(600);
  expect(budget.isExceeded('slow')).toBe(false);
});

test('eight deliveries of a workspace wait for its budget, and a ninth is not rendered', async () => {
  const budget = createRenderBudget(nowMs);
  const neighbour = startNeighbour(budget);
  await budget.run('slow', () => spend(110));
  // The first has its turn at once and waits for the budget.
  const results = Array.from({ length: 10 }, (_, index) => budget.run('slow', () => index));
  expect(await results[9]).toBeUndefined();
  expect([budget.isExceeded('slow'), budget.isExceeded('neighbour')]).toEqual([true, false]);
  expect(await Promise.all(results.slice(0, 9))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  neighbour.stop();
});

test('an error of a rendering is thrown, and the next delivery has its turn', async () => {
  const budget = createRenderBudget(nowMs);
  const neighbour = startNeighbour(budget);
  await budget.run('slow', () => spend(110));
  const failing = budget.run('slow', () => {
    throw new Error('broken');
  });
  const next = budget.run('slow', () => 'rendered');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('rendered');
  neighbour.stop();
});
