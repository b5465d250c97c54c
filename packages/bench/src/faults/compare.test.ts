import { alertIdOf } from '../load/alert-ids.js';
import { compare } from './compare.js';
import type { DeliveryRecord } from './records-reader.js';

const run = 7;
const webhookIds = ['w0', 'w1'];

/** Two alerts for two webhooks, all of them accepted, arrived and recorded. */
function evidence() {
  const record = (sequence: number, webhookId: string): DeliveryRecord => ({
    alertId: alertIdOf(run, sequence),
    webhookId,
    status: 'succeeded',
    attemptsMade: 1,
    claims: 1,
    succeededAtMs: 1,
    attempts: 1,
    attemptsAnswered200: 1,
    lastNumber: 1,
    lastClaim: 1,
  });
  return {
    run,
    webhookIds,
    acceptedAtMs: Float64Array.of(1, 2),
    arrivals: {
      received: Uint8Array.of(1, 1, 1, 1),
      refused: new Uint8Array(4),
      lastArrivalMs: new Float64Array(4),
    },
    records: [0, 1].flatMap((sequence) => webhookIds.map((webhook) => record(sequence, webhook))),
    workersLived: false,
  };
}

test('what was accepted, arrived once and is recorded so is in order', () => {
  expect(compare(evidence())).toMatchObject({
    accepted: 2,
    owed: 4,
    delivered: 4,
    lost: 0,
    repeated: 0,
    disagreements: [],
  });
});

test('what was accepted and never arrived is lost, though its record says otherwise', () => {
  const given = evidence();
  given.arrivals.received[2] = 0;
  expect(compare(given)).toMatchObject({ delivered: 3, lost: 1 });
  expect(compare(given).disagreements).toEqual([expect.stringContaining('has not arrived')]);
});

test('what was never accepted is not owed, but must not arrive without a record', () => {
  const given = evidence();
  given.acceptedAtMs[1] = 0;
  expect(compare(given)).toMatchObject({ accepted: 1, owed: 2, lost: 0, disagreements: [] });
  given.records.splice(2);
  expect(compare(given).disagreements).toHaveLength(2);
});

test('a second request is a repeat, unless the destination had refused the first', () => {
  const given = evidence();
  given.arrivals.received.set([2, 2, 3, 1]);
  given.arrivals.refused.set([1, 0, 0, 0]);
  const { repeated, repeats } = compare(given);
  expect(repeated).toBe(3);
  expect([...repeats]).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test.each<[string, Partial<DeliveryRecord>, string]>([
  ['is still open', { status: 'open' }, 'recorded as open'],
  ['has failed', { status: 'failed' }, 'recorded as failed'],
  ['has counted an attempt twice', { attemptsMade: 2 }, 'attempts_made is 2'],
  ['has lost an attempt', { attempts: 0, attemptsAnswered200: 0, lastNumber: 0 }, 'attempts_made is 1'],
  [
    'knows of answers that nobody gave',
    { attempts: 2, attemptsMade: 2, lastNumber: 2, attemptsAnswered200: 2 },
    '2 recorded',
  ],
  ['was ended by an owner of old', { lastClaim: 2 }, 'ended under claim 1 while 2 was out'],
])('a record disagrees where it %s', (_, change, sentence) => {
  const given = evidence();
  Object.assign(given.records[3]!, change);
  expect(compare(given).disagreements).toEqual([expect.stringContaining(sentence)]);
});

test('a request that is missing from the records disagrees, unless its worker may have died of it', () => {
  const given = evidence();
  given.arrivals.received[2] = 2;
  expect(compare(given)).toMatchObject({ repeated: 1, disagreements: [] });
  const { disagreements } = compare({ ...given, workersLived: true });
  expect(disagreements).toEqual([expect.stringContaining('2 requests arrived, 1 attempts are recorded')]);
  given.arrivals.refused[2] = 1;
  expect(compare({ ...given, workersLived: true }).disagreements).toHaveLength(1);
});

test('an alert that has two records for one webhook is found', () => {
  const given = evidence();
  given.records.push({ ...given.records[0]! });
  expect(compare(given).disagreements).toEqual([expect.stringContaining('it has 2 records')]);
});
