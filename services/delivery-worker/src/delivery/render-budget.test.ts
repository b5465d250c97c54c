import { createRenderBudget, type RenderBudget } from './render-budget.js';

const nowMs = () => performance.now();

/**
 * Waits until the budget allows a rendering, and then renders. Resolves to undefined if too many deliveries are
 * waiting.
 */
async function renderInBudget<T>(budget: RenderBudget, workspaceId: string, render: () => T) {
  const mayRender = budget.allows(workspaceId) || (await budget.wait(workspaceId));
  return mayRender ? budget.run(workspaceId, render) : undefined;
}

function spend(ms: number) {
  const endsAtMs = nowMs() + ms;
  while (nowMs() < endsAtMs);
}

test('renderings over the budget use at most a quarter of the time and start at even intervals', async () => {
  const budget = createRenderBudget(nowMs);
  // The first rendering takes 200 ms and exceeds the burst of 100 ms by 100 ms. The budget grows by a quarter of the
  // elapsed time, so the next rendering must wait for 400 ms.
  await renderInBudget(budget, 'slow', () => spend(200));
  const startedAtMs = nowMs();
  const startsMs: number[] = [];
  const render = () => {
    startsMs.push(nowMs() - startedAtMs);
    spend(20);
  };
  await Promise.all(Array.from({ length: 6 }, () => renderInBudget(budget, 'slow', render)));
  // A rendering of 20 ms uses the budget that accrues in 80 ms. Each start is compared with the earliest time that the
  // budget allows, because a late timer shortens the next wait. Timers can fire up to a millisecond early.
  const earliestMs = startsMs.map((_, index) => 390 + 78 * index);
  expect(startsMs.filter((startMs, index) => startMs < earliestMs[index]!)).toEqual([]);
  expect(startsMs).toHaveLength(6);
});

/**
 * Creates a budget that the workspace `slow` has exceeded by 10 ms. The budget grows by a quarter of the elapsed time,
 * so each delivery of this workspace waits for 40 ms. The clock stands still, so the result does not depend on the
 * speed of the machine.
 */
async function createExceededBudget(): Promise<RenderBudget> {
  const clock = { ms: 5_000 };
  const budget = createRenderBudget(() => clock.ms);
  await renderInBudget(budget, 'slow', () => {
    clock.ms += 110;
  });
  return budget;
}

test('a workspace within its render budget does not wait for one that is over its budget', async () => {
  const budget = await createExceededBudget();
  const slow = renderInBudget(budget, 'slow', () => 'slow');
  const order = await Promise.race([slow, renderInBudget(budget, 'usual', () => 'usual')]);
  expect(order).toBe('usual');
  expect([budget.rendersLeft('slow'), budget.rendersLeft('usual')]).toEqual([31, Number.POSITIVE_INFINITY]);
  await slow;
});

test('at most 32 deliveries of a workspace wait for its budget, and a further one is rejected', async () => {
  const budget = await createExceededBudget();
  const results = Array.from({ length: 33 }, (_, index) => renderInBudget(budget, 'slow', () => index));
  expect(budget.rendersLeft('slow')).toBe(0);
  expect(await results[32]).toBeUndefined();
  expect(await Promise.all(results.slice(0, 32))).toEqual(Array.from({ length: 32 }, (_, index) => index));
  expect(budget.rendersLeft('slow')).toBe(32);
});

test('a failed rendering throws its error and does not block the next delivery', async () => {
  const budget = await createExceededBudget();
  const failing = renderInBudget(budget, 'slow', () => {
    throw new Error('broken');
  });
  const next = renderInBudget(budget, 'slow', () => 'rendered');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('rendered');
});

test('rendersLeft is 32 until one second after a wait for the budget, and then Infinity again', async () => {
  const clock = { ms: 5_000 };
  const budget = createRenderBudget(() => clock.ms);
  expect(budget.rendersLeft('w')).toBe(Number.POSITIVE_INFINITY);
  expect(await budget.wait('w')).toBe(true);
  clock.ms += 1_000;
  expect([budget.rendersLeft('w'), budget.rendersLeft('v')]).toEqual([32, Number.POSITIVE_INFINITY]);
  clock.ms += 1;
  expect(budget.rendersLeft('w')).toBe(Number.POSITIVE_INFINITY);
});
