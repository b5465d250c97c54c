import { randomBytes } from 'node:crypto';
import { createSecretBox, type Database, sqlArray } from '@tocsin/database';
import { decryptAttempt, renderedLocation } from '@tocsin/deliveries';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt } from './outcome.js';
import { createRecordRepository, type OutcomeRecord } from './record-repository.js';

const secretBox = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
const workspaceId = '11111111-1111-4111-8111-111111111111';
const ids = [1, 2, 3, 4].map((digit) => `0193a000-0000-7000-8000-00000000000${digit}`);
const failure = { code: 'timeout', error: 'Too \0slow.' } as const;
const startedAt = new Date('2026-01-02T03:04:05.678Z');

const claimed = (index: number) =>
  ({ deliveryId: ids[index], run: index + 1, claim: index + 2, step: 6, workspaceId }) as ClaimedDelivery;

const attempt: Attempt = {
  trigger: 'manual',
  startedAt,
  durationMs: 12.5,
  destination: 'http://a',
  requestBody: '{"a":1}',
  response: { statusCode: 503, body: 'no', truncated: true, location: '/b' },
  failure,
  note: undefined,
};

function start() {
  const statements: { name: string; values: unknown[] }[] = [];
  const texts: string[] = [];
  const database = {
    async prepared({ name, text }: { name: string; text: string }, values: unknown[]) {
      texts.push(text);
      statements.push({ name, values });
      return [];
    },
  } as unknown as Database;
  return { statements, texts, ...createRecordRepository(database, secretBox) };
}

/**
 * A retry, a success, a failure without an attempt, and a skipped delivery with an attempt that has no response. The
 * worker never records an attempt of a skipped delivery, but the repository accepts it.
 */
const records: OutcomeRecord[] = [
  { claimed: claimed(0), outcome: { kind: 'retry', afterMs: 900, step: 7, failure }, attempt },
  {
    claimed: claimed(1),
    outcome: { kind: 'succeeded' },
    attempt: {
      ...attempt,
      trigger: 'scheduled',
      response: { statusCode: 204, body: '', truncated: false, retryAfter: '7' },
      failure: undefined,
      note: 'It was cut.',
    },
  },
  { claimed: claimed(2), outcome: { kind: 'failed', failure }, attempt: undefined, rendered: 'no JSON' },
  {
    claimed: claimed(3),
    outcome: { kind: 'skipped', failure },
    attempt: { ...attempt, response: undefined, failure: undefined },
  },
];

test('outcomes are sent as one array for each column, in the order of the records', async () => {
  const { record, statements, texts } = start();
  await record(records);
  expect(texts).toEqual([expect.stringContaining('insert into attempts_20241207 (')]);
  const [{ name, values }] = statements as [(typeof statements)[0]];
  const sentence = 'Too \uFFFDslow.';
  expect([name, values.length]).toEqual(['delivery.record_20241207', 21]);
  expect(values.slice(0, 12)).toEqual([
    sqlArray.uuid(ids),
    sqlArray.integer([1, 2, 3, 4]),
    sqlArray.integer([2, 3, 4, 5]),
    sqlArray.text(['open', 'succeeded', 'failed', 'skipped']),
    sqlArray.float8([900, null, null, null]),
    sqlArray.smallint([7, 6, 6, 6]),
    sqlArray.text(['timeout', null, 'timeout', 'timeout']),
    sqlArray.text([sentence, null, sentence, sentence]),
    sqlArray.boolean([true, true, false, true]),
    sqlArray.text(['manual', 'scheduled', null, 'manual']),
    sqlArray.timestamptz([startedAt, startedAt, null, startedAt]),
    sqlArray.integer([13, 13, null, 13]),
  ]);
  expect(values.slice(13, 17)).toEqual([
    sqlArray.integer([503, 204, null, null]),
    sqlArray.boolean([true, false, false, false]),
    sqlArray.text(['timeout', null, null, null]),
    sqlArray.text([sentence, 'It was cut.', null, null]),
  ]);
  expect(values[19]).toEqual(sqlArray.text(['http://a', 'http://a', null, 'http://a']));
});

test('the statement gets the milliseconds since the end of each request, and 0 for a future end', async () => {
  const { record, statements } = start();
  const endedAgo = (ms: number): OutcomeRecord => ({
    claimed: claimed(0),
    outcome: { kind: 'succeeded' },
    attempt: { ...attempt, startedAt: new Date(Date.now() - ms), durationMs: 1_000 },
  });
  await record([endedAgo(61_000), endedAgo(0), records[2]!]);
  const ages = statements[0]!.values[20] as Buffer;
  // PostgreSQL's binary array has a header of 20 bytes. It is followed by the length (4 bytes) and the value (8 bytes)
  // of each number. A null has the length -1 and no value.
  const [past, future, none] = [ages.readDoubleBE(24), ages.readDoubleBE(36), ages.readInt32BE(44)];
  expect(Math.abs(past - 60_000)).toBeLessThan(10_000);
  expect([future, none]).toEqual([0, -1]);
});

test('the encrypted contents of a batch are sent as one value with their offsets and lengths', async () => {
  const { record, statements } = start();
  await record(records);
  const [{ values }] = statements as [(typeof statements)[0]];
  const [starts, lengths] = [integersOf(values[12] as Buffer), integersOf(values[17] as Buffer)];
  const contentOf = (index: number) => {
    const at = starts[index]! - 1;
    return (values[18] as Buffer).subarray(at, at + lengths[index]!);
  };
  const contents = [0, 1, 3].map((index) => decryptAttempt(contentOf(index), claimed(index), secretBox));
  const requestBody = '{"a":1}';
  const none = { location: undefined, retryAfter: undefined };
  expect(contents).toEqual([
    { ...none, requestBody, responseBody: 'no', location: '/b' },
    { ...none, requestBody, responseBody: '', retryAfter: '7' },
    { ...none, requestBody, responseBody: '' },
  ]);
  const location = renderedLocation({ workspaceId, id: ids[2]! });
  expect(secretBox.decrypt(contentOf(2), location).toString()).toBe('no JSON');
});

/**
 * Reads an array of 32-bit integers in PostgreSQL's binary format: a header of 20 bytes, then pairs of length and
 * value.
 */
function integersOf(array: Buffer): number[] {
  return Array.from({ length: array.readInt32BE(12) }, (_, index) => array.readInt32BE(20 + 8 * index + 4));
}

describe('a batch with long contents', () => {
  const mebibyte = 1_048_576;
  const recordOf = (index: number, requestLength: number, responseLength: number): OutcomeRecord => ({
    claimed: claimed(index),
    outcome: { kind: 'succeeded' },
    attempt: {
      ...attempt,
      requestBody: 'x'.repeat(requestLength),
      response: { statusCode: 200, body: 'y'.repeat(responseLength), truncated: false },
    },
  });
  const sentIds = async (batch: OutcomeRecord[]) => {
    const { record, statements } = start();
    await record(batch);
    return statements.map(({ values }) => values[0]);
  };

  test('a batch is divided into statements with at most 1 MiB of text, in the order of the records', async () => {
    const batch = [
      recordOf(0, mebibyte / 2, mebibyte / 2 - 1),
      recordOf(1, 1, 0),
      recordOf(2, 0, 1),
      recordOf(3, mebibyte, 0),
    ];
    const parts = [ids.slice(0, 2), ids.slice(2, 3), ids.slice(3)];
    expect(await sentIds(batch)).toEqual(parts.map((part) => sqlArray.uuid(part)));
  });

  test('a record with more than 1 MiB of text is sent in a statement of its own', async () => {
    const batch = [recordOf(0, mebibyte, 1), recordOf(1, 1, 1)];
    expect(await sentIds(batch)).toEqual(ids.slice(0, 2).map((id) => sqlArray.uuid([id])));
  });

  test('rendered bodies count towards the limit of 1 MiB, and records without content do not', async () => {
    const rendered = { ...records[2]!, claimed: claimed(0), rendered: 'z'.repeat(mebibyte) };
    const withoutContent = { ...records[3]!, claimed: claimed(1), attempt: undefined };
    const batch = [rendered, withoutContent, recordOf(2, 1, 0)];
    expect(await sentIds(batch)).toEqual([sqlArray.uuid(ids.slice(0, 2)), sqlArray.uuid([ids[2]!])]);
  });
});

test('a failed delivery without a rendered text is recorded with an empty text', async () => {
  const { record, statements } = start();
  await record([{ claimed: claimed(0), outcome: { kind: 'failed', failure }, attempt: undefined }]);
  const { values } = statements[0]!;
  expect([values[17], values[18]]).toEqual([sqlArray.integer([0]), Buffer.alloc(0)]);
});

test('a batch of deferrals first stores the failures, and then the delays and reasons', async () => {
  const { defer, statements, texts } = start();
  await defer([
    {
      claimed: { ...claimed(0), limitedClaim: 'with_request' },
      deferral: { kind: 'deferred', afterMs: 5, reason: 'quarantine' },
    },
    { claimed: claimed(1), deferral: { kind: 'deferred', afterMs: 6, reason: 'undecryptable', failure } },
  ]);
  expect(texts).toEqual([
    expect.stringContaining('update deliveries_20241207 d set error_code'),
    expect.stringContaining('update open_deliveries x'),
  ]);
  expect(statements).toEqual([
    {
      name: 'delivery.show-failure_20241207',
      values: [
        sqlArray.uuid([ids[1]!]),
        sqlArray.integer([2]),
        sqlArray.integer([3]),
        sqlArray.text(['timeout']),
        sqlArray.text(['Too \uFFFDslow.']),
      ],
    },
    {
      name: 'delivery.defer',
      values: [
        sqlArray.uuid([ids[0]!, ids[1]!]),
        sqlArray.integer([1, 2]),
        sqlArray.integer([2, 3]),
        sqlArray.float8([5, 6]),
        sqlArray.text(['crashed', 'undecryptable']),
        sqlArray.boolean([true, false]),
      ],
    },
  ]);
});

test('a batch of deferrals without failures is stored with one statement', async () => {
  const { defer, statements } = start();
  await defer([{ claimed: claimed(0), deferral: { kind: 'deferred', afterMs: 5, reason: 'no_slot' } }]);
  expect(statements.map(({ name }) => name)).toEqual(['delivery.defer']);
});
