import { until } from './until.js';

test('until repeats its check until the check returns a value, and then returns this value', async () => {
  let calls = 0;
  const third = async () => {
    calls += 1;
    return calls === 3 && `call ${calls}`;
  };
  expect(await until('it is the third call', third)).toBe('call 3');
});

test('until throws an error that states the condition if the check returns no value in time', async () => {
  const waiting = until('pigs fly', () => false, { timeoutMs: 20 });
  await expect(waiting).rejects.toThrow('Timed out after 20 ms: pigs fly.');
});
