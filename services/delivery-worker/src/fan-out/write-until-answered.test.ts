import type { PlannedAlert } from './fan-out-repository.js';
import { writeUntilAnswered } from './write-until-answered.js';

const planned = [{ recordId: 'alert', deliveries: [{ id: 'first' }, { id: 'second' }] }] as PlannedAlert[];
const lost = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });

/** Answers each try in turn: an error is thrown, ids are what this try wrote. Tries again whatever is thrown. */
function write(answers: (Error | string[])[]) {
  const times: number[] = [];
  const repository = {
    async write(_: PlannedAlert[], acceptedAtMs: number) {
      times.push(acceptedAtMs);
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return new Set(answer);
    },
  };
  const patience = {
    async untilAnswered<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (answers.length === 0) throw error;
        }
      }
    },
  };
  return { times, ids: writeUntilAnswered(planned, 1_000, { repository, patience }) };
}

test('what a try has written whose answer was lost is told when the next one finds it', async () => {
  const { ids, times } = write([lost, []]);
  expect([...(await ids)]).toEqual(['alert', 'first', 'second']);
  // The ids come from the time: another time would make other rows of them.
  expect(times).toEqual([1_000, 1_000]);
});

test.each([
  ['at once', [[]]],
  ['after a deadlock, which undid all', [Object.assign(new Error('deadlock'), { code: '40P01' }), []]],
])('an alert whose key another has taken is not told where the answer came %s', async (_, answers) => {
  expect((await write(answers).ids).size).toBe(0);
});
