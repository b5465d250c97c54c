import { judgeAnswers } from './judge-answers.js';

const fine = { byStatus: { 202: 5_000, 503: 40 }, withoutRetryAfter: 0, slowestMs: 900 };

function answering(byStatus: Record<string, number>) {
  return { ...fine, byStatus: { ...fine.byStatus, ...byStatus } };
}

test('an API that takes alerts, or says when to come again, is in order', () => {
  expect(judgeAnswers(fine, {})).toEqual([]);
});

test.each(['500', '401', '404', '429', '200'])(
  'an answer of %s is a problem, whatever is struck',
  (status) => {
    for (const fault of [{}, { strikesApi: true }])
      expect(judgeAnswers(answering({ [status]: 3 }), fault)).toEqual([
        `the API answered ${status}, 3 times`,
      ]);
  },
);

test('a connection that ends without an answer is a problem where the API is not struck itself', () => {
  expect(judgeAnswers(answering({ ECONNRESET: 2 }), {})).toEqual(['the API answered ECONNRESET, 2 times']);
  expect(judgeAnswers(answering({ ECONNRESET: 2 }), { strikesApi: true })).toEqual([]);
});

test.each([{ strikesApi: true }, {}])(
  'who is left hanging, and not told when to come, is a problem: %j',
  (fault) => {
    expect(judgeAnswers({ ...fine, withoutRetryAfter: 7 }, fault)).toEqual([
      '7 answers 503 without Retry-After',
    ]);
    expect(judgeAnswers(answering({ hung: 1 }), fault)).toEqual(['the API left callers hanging']);
    expect(judgeAnswers({ ...fine, slowestMs: 10_500 }, fault)).toEqual(['the API left callers hanging']);
  },
);
