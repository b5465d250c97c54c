import { alertIdOf } from '../load/alert-ids.js';
import { compare } from './compare.js';
import type { DeliveryRecord } from './fault-records-reader.js';

const run = 7;
const webhookIds = ['w0', 'w1'];

/**
 * Returns the evidence of a run without problems: two alerts with two webhooks each, all confirmed to the publisher,
 * delivered and recorded.
 */
function evidence() {
  const record = (sequence: number, webhookId: string): DeliveryRecord => ({
    alertId: alertIdOf(run, sequence),
    webhookId,
    status: 'succeeded',
    attemptsMade: 1,
    claims: 1,
    succeededAtMs: 1,
    attempts: 1,
    successfulAttempts: 1,
    lastNumber: 1,
    lastClaim: 1,
  });
  return {
    run,
    webhookIds,
    acceptedAtMs: Float64Array.of(1, 2),
    arrivals: {
      received: Uint8Array.of(1, 1, 1, 1),
      rejected: new Uint8Array(4),
    },
    records: [0, 1].flatMap((sequence) => webhookIds.map((webhook) => record(sequence, webhook))),
    allRequestsRecorded: false,
  };
}

test('a run in which each delivery arrived once and is recorded has no problems', () => {
  expect(compare(evidence())).toMatchObject({
    accepted: 2,
    expected: 4,
    delivered: 4,
    lost: 0,
    repeated: 0,
    disagreements: [],
  });
});

test('a delivery that did not arrive counts as lost, even if it is recorded as succeeded', () => {
  const given = evidence();
  given.arrivals.received[2] = 0;
  expect(compare(given)).toMatchObject({ delivered: 3, lost: 1 });
  expect(compare(given).disagreements).toEqual([expect.stringContaining('has not arrived')]);
});

test('requests for an alert without a confirmed acceptance are allowed if they are recorded', () => {
  const given = evidence();
  given.acceptedAtMs[1] = 0;
  expect(compare(given)).toMatchObject({ accepted: 1, expected: 2, lost: 0, disagreements: [] });
  given.records.splice(2);
  expect(compare(given).disagreements).toHaveLength(2);
});

test('a second request counts as a repeat unless the destination rejected the first one', () => {
  const given = evidence();
  given.arrivals.received.set([2, 2, 3, 1]);
  given.arrivals.rejected.set([1, 0, 0, 0]);
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
  ['has a wrong attempts_made', { attemptsMade: 2 }, 'attempts_made is 2'],
  ['lacks a recorded attempt', { attempts: 0, successfulAttempts: 0, lastNumber: 0 }, 'attempts_made is 1'],
  [
    'has more successful attempts than successful requests',
    { attempts: 2, attemptsMade: 2, lastNumber: 2, successfulAttempts: 2 },
    '2 successful attempts are recorded',
  ],
  [
    'was ended by the owner of an earlier claim',
    { lastClaim: 2 },
    'claim 1 ended it although claim 2 exists',
  ],
])('the comparison reports a problem if the delivery %s', (_, change, sentence) => {
  const given = evidence();
  Object.assign(given.records[3]!, change);
  expect(compare(given).disagreements).toEqual([expect.stringContaining(sentence)]);
});

test('a request without a recorded attempt is a problem unless a worker was killed or stopped', () => {
  const given = evidence();
  given.arrivals.received[2] = 2;
  expect(compare(given)).toMatchObject({ repeated: 1, disagreements: [] });
  const { disagreements } = compare({ ...given, allRequestsRecorded: true });
  expect(disagreements).toEqual([expect.stringContaining('2 requests arrived, 1 attempts are recorded')]);
  given.arrivals.rejected[2] = 1;
  expect(compare({ ...given, allRequestsRecorded: true }).disagreements).toHaveLength(1);
});

test('two delivery records of the same alert and webhook are reported as a disagreement', () => {
  const given = evidence();
  given.records.push({ ...given.records[0]! });
  expect(compare(given).disagreements).toEqual([expect.stringContaining('it has 2 records')]);
});
