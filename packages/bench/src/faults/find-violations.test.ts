import { mayRepeat } from './exposure.js';
import { findDeliveryViolations, findLogViolations, findResponseViolations } from './find-violations.js';

const noProblems = { lost: 0, repeated: 0, repeats: new Map<number, number>(), disagreements: [] };
const normalResponses = { byStatus: { 202: 5_000, 503: 40 }, withoutRetryAfter: 0, slowestMs: 900 };

function repeating(...repeats: [number, number][]) {
  const repeated = repeats.reduce((sum, [, times]) => sum + times, 0);
  return { ...noProblems, repeated, repeats: new Map(repeats) };
}

function exposed(...indexes: number[]) {
  return mayRepeat({ indexes, of: 'claimed deliveries', endedAtMs: 0 });
}

function responding(byStatus: Record<string, number>) {
  return { ...normalResponses, byStatus: { ...normalResponses.byStatus, ...byStatus } };
}

test('a delivery that was in flight during n faults may be repeated up to n times', () => {
  expect(findDeliveryViolations(repeating([4, 1], [6, 2]), exposed(4, 6, 6))).toEqual([]);
});

test.each<[string, ReturnType<typeof repeating>, string[]]>([
  ['a delivery that was not in flight', repeating([5, 1]), ['1 repeated that were not in flight']],
  ['a delivery too often', repeating([4, 2]), ['1 repeated more often than they were in flight']],
  [
    'more deliveries than were in flight',
    repeating([4, 1], [6, 3]),
    ['4 repeated, 3 were in flight', '1 repeated more often than they were in flight'],
  ],
])('repeating %s is reported as a problem', (_, comparison, problems) => {
  expect(findDeliveryViolations(comparison, exposed(4, 6, 6))).toEqual(problems);
});

test('lost deliveries and records that disagree with the destination are problems', () => {
  const comparison = { ...noProblems, lost: 2, disagreements: ['a', 'b'] };
  expect(findDeliveryViolations(comparison, exposed())).toEqual(['2 lost', 'records disagree, first: a']);
});

test('API responses with 202, or with 503 and Retry-After, are not reported as problems', () => {
  expect(findResponseViolations(normalResponses, {})).toEqual([]);
});

test.each(['500', '401', '404', '429', '200'])(
  'an API response with status %s is a problem, whichever fault is injected',
  (status) => {
    for (const fault of [{}, { affectsApi: true }])
      expect(findResponseViolations(responding({ [status]: 3 }), fault)).toEqual([
        `the API returned ${status}, 3 times`,
      ]);
  },
);

test('a lost connection to the API is a problem unless the fault affects the API', () => {
  const responses = responding({ ECONNRESET: 2 });
  expect(findResponseViolations(responses, {})).toEqual(['the API returned ECONNRESET, 2 times']);
  expect(findResponseViolations(responses, { affectsApi: true })).toEqual([]);
});

test.each([{ affectsApi: true }, {}])(
  'hanging requests and 503 responses without Retry-After are problems for the fault %j',
  (fault) => {
    expect(findResponseViolations({ ...normalResponses, withoutRetryAfter: 7 }, fault)).toEqual([
      '7 responses 503 without Retry-After',
    ]);
    expect(findResponseViolations(responding({ hung: 1 }), fault)).toEqual(['requests to the API hung']);
    expect(findResponseViolations({ ...normalResponses, slowestMs: 10_500 }, fault)).toEqual([
      'requests to the API hung',
    ]);
  },
);

test('only the first log line with a failure event is reported', () => {
  const log = '{"msg":"database.unavailable"}\n{"msg":"message.failed","n":1}\n{"msg":"service.crashed"}\n';
  expect(findLogViolations('worker-1', log, {})).toEqual(['worker-1: {"msg":"message.failed","n":1}']);
  expect(findLogViolations('worker-1', '{"msg":"database.unavailable"}\n', {})).toEqual([]);
});

test('a message may fail only with the error that the fault declares', () => {
  const fault = { messageError: 'canceling statement' };
  const expected = '{"err":{"message":"canceling statement due to user request"},"msg":"message.failed"}';
  const other = '{"err":{"message":"x is undefined"},"msg":"message.failed"}';
  expect(findLogViolations('worker-1', expected, fault)).toEqual([]);
  expect(findLogViolations('worker-1', `${expected}\n${other}`, fault)).toEqual([`worker-1: ${other}`]);
  expect(findLogViolations('worker-1', expected, {})).toEqual([`worker-1: ${expected}`]);
});
