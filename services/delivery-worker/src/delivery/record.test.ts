import type { Logger } from '@tocsin/kit';
import { createRecorder } from './record.js';
import type { Outcome, RecordRepository } from './record-repository.js';

test('two outcomes of one delivery are not committed together, and keep their order', async () => {
  const commits: string[][] = [];
  const repository = {
    async record(outcomes: Outcome[]) {
      commits.push(outcomes.map(({ claimed }) => `${claimed.deliveryId}/${claimed.claim}`));
    },
  } as RecordRepository;
  const recorder = createRecorder({
    repository,
    patience: { untilAnswered: (work) => work() },
    logger: {} as Logger,
    onBatch: () => {},
  });
  const outcome = (deliveryId: string, claim: number) => ({ claimed: { deliveryId, claim } }) as Outcome;
  await Promise.all(
    [outcome('a', 1), outcome('b', 1), outcome('a', 2), outcome('c', 1), outcome('a', 3)].map(
      recorder.record,
    ),
  );
  expect(commits).toEqual([['a/1', 'b/1', 'c/1'], ['a/2'], ['a/3']]);
});
