import { until } from './until.js';

test('what was waited for is given', async () => {
  let turn = 0;
  const third = async () => {
    turn += 1;
    return turn === 3 && `turn ${turn}`;
  };
  expect(await until('it is the third turn', third)).toBe('turn 3');
});

test('what was waited for in vain is told', async () => {
  const waiting = until('pigs fly', () => false, { timeoutMs: 20 });
  await expect(waiting).rejects.toThrow('Waited 20 ms in vain: pigs fly.');
});
