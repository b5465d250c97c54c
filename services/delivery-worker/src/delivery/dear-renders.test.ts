import { createDearRenders } from './dear-renders.js';

function spend(ms: number) {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

test('dear renderings go one after the other in turn by webhook, and leave three quarters of the time to others', async () => {
  const renders = createDearRenders();
  const spans: { webhookId: string; from: number; to: number }[] = [];
  const render = (webhookId: string) =>
    renders.turn(webhookId, () => {
      const from = performance.now();
      spend(5);
      spans.push({ webhookId, from, to: performance.now() });
    });
  const waiting = ['loud', 'loud', 'loud', 'quiet'].map(render);
  expect(spans).toEqual([]);
  await Promise.all(waiting);
  expect(spans.map(({ webhookId }) => webhookId)).toEqual(['loud', 'quiet', 'loud', 'loud']);
  for (const [index, { from }] of spans.entries()) {
    const before = spans[index - 1];
    // Timers count whole milliseconds.
    if (before !== undefined) expect(from - before.to).toBeGreaterThan(3 * (before.to - before.from) - 2);
  }
});

test('a rendering that throws is its own error, and the next one has its turn', async () => {
  const renders = createDearRenders();
  const broken = renders.turn('w', () => {
    throw new Error('broken');
  });
  const next = renders.turn('w', () => 'rendered');
  await expect(broken).rejects.toThrow('broken');
  expect(await next).toBe('rendered');
  expect(await renders.turn('w', () => 'later')).toBe('later');
});

test('there is room while the line is short in time: what is at its end would else lose its claim', async () => {
  const renders = createDearRenders();
  const line = Array.from({ length: 40 }, () => renders.turn('cheap', () => {}));
  await Promise.all(line);
  expect(renders.hasRoom()).toBe(true);
  await renders.turn('dear', () => spend(100));
  const rest = Array.from({ length: 13 }, () => renders.turn('dear', () => {}));
  expect(renders.hasRoom()).toBe(false);
  await Promise.all(rest);
  expect(renders.hasRoom()).toBe(true);
});
