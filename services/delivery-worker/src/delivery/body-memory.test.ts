import { createBodyMemory } from './body-memory.js';

/** Reserves bodies of 10,000 characters, 30,000 bytes each, until the limit is reached. Returns their number. */
function reserveAll({ reserve }: ReturnType<typeof createBodyMemory>, workspaceId: string): number {
  for (let count = 0; ; count += 1)
    if (!reserve({ deliveryId: `${workspaceId} ${count}`, workspaceId }, 'x'.repeat(10_000))) return count;
}

test('one workspace gets 15/16 of the memory for large bodies, another one a part of the rest', () => {
  const memory = createBodyMemory({ maxBytes: 32 * 30_000 });
  expect([reserveAll(memory, 'a'), reserveAll(memory, 'b')]).toEqual([30, 1]);
});

test('a released body makes room for another one, and a second release changes nothing', () => {
  const memory = createBodyMemory({ maxBytes: 32 * 30_000 });
  reserveAll(memory, 'a');
  for (let count = 0; count < 2; count += 1) memory.release({ deliveryId: 'a 0', workspaceId: 'a' });
  expect(reserveAll(memory, 'a')).toBe(1);
});

test('bodies of up to 4,096 characters are not limited', () => {
  const { reserve } = createBodyMemory({ maxBytes: 0 });
  const delivery = { deliveryId: 'd', workspaceId: 'w' };
  expect([reserve(delivery, 'x'.repeat(4_096)), reserve(delivery, 'x'.repeat(4_097))]).toEqual([true, false]);
});

test('a body with characters outside Latin-1 counts with the size of its copy in UTF-8', () => {
  const memory = createBodyMemory({ maxBytes: 32 * 50_000 });
  const delivery = { deliveryId: 'd', workspaceId: 'w' };
  expect(memory.reserve(delivery, '日'.repeat(300_000))).toBe(true);
  expect(memory.reserve({ ...delivery, deliveryId: 'e' }, '日'.repeat(10_000))).toBe(false);
});
