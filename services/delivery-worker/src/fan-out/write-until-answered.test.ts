import { createLogger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { PlannedAlert } from './planned.js';
import { writeUntilAnswered } from './write-until-answered.js';

const planned = [{ recordId: 'alert', deliveries: [{ id: 'first' }, { id: 'second' }] }] as PlannedAlert[];
const logger = createLogger({ service: 'test', level: 'silent' });
const databaseRetry = createDatabaseRetry({ logger, signal: new AbortController().signal });
const lost = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });

/** Answers each try in turn: an error is thrown, ids are what this try wrote. Tries again whatever is thrown. */
function write(answers: (Error | string[])[]) {
  const tries: { acceptedAtMs: number; token: string }[] = [];
  const repository = {
    async write(_: PlannedAlert[], as: { acceptedAtMs: number; token: string }) {
      tries.push(as);
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return { ids: new Set(answer), leaseEndsAtMs: 0 };
    },
  };
  return { tries, written: writeUntilAnswered(planned, 1_000, { repository, databaseRetry }) };
}

test('what a try has written whose answer was lost is told when the next one finds it, as uncertain', async () => {
  const { written, tries } = write([lost, []]);
  const { ids, token, isCertain } = await written;
  expect([...ids]).toEqual(['alert', 'first', 'second']);
  expect(isCertain).toBe(false);
  // The ids come from the time, and the claims from the token: others would make other rows of them.
  expect(tries).toEqual([
    { acceptedAtMs: 1_000, token },
    { acceptedAtMs: 1_000, token },
  ]);
});

test.each([
  ['at once', [[]]],
  ['after a deadlock, which undid all', [Object.assign(new Error('deadlock'), { code: '40P01' }), []]],
])('an alert whose key another has taken is not told where the answer came %s', async (_, answers) => {
  const { ids, isCertain } = await write(answers).written;
  expect([ids.size, isCertain]).toEqual([0, true]);
});
