import { createLogger, type Logger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt } from './outcome.js';
import type { Pause } from './pause-repository.js';
import { createRecorder } from './record.js';
import type { OutcomeRecord } from './record-repository.js';

const rejected = Object.assign(new Error('not a text'), { code: '22021' });

/**
 * Creates a recorder. Each call of `records.record` throws the next error of `errors`, and succeeds when none is left.
 */
function start({ errors = [] as Error[], pauseError }: { errors?: Error[]; pauseError?: Error } = {}) {
  const tries: OutcomeRecord[] = [];
  const commits: string[] = [];
  const pauses: Pause[][] = [];
  const events: string[] = [];
  const logged: unknown[] = [];
  const failing = new Set<string>();
  const commit = async (name: string) => {
    if (failing.has(name)) throw new Error(`${name} failed`);
    commits.push(name);
  };
  const silent = createLogger({ service: 'test', level: 'silent' });
  const sizes: number[] = [];
  const log = (fields: unknown, event: string) => {
    events.push(event);
    logged.push(fields);
  };
  const recorder = createRecorder({
    records: {
      async record(records) {
        tries.push(...records);
        const error = errors.shift();
        if (error !== undefined) throw error;
        await commit(`record ${records.length}`);
      },
      defer: async (records) => commit(`defer ${records.map(({ deferral }) => deferral.afterMs)}`),
    },
    pauses: {
      async pause(batch) {
        pauses.push(batch);
        if (pauseError !== undefined) throw pauseError;
        await commit('pause');
      },
      resume: async (webhookId) => commit(`resume ${webhookId}`),
    },
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    logger: { warn: log, error: log } as unknown as Logger,
    onBatch: (size) => sizes.push(size),
  });
  return { recorder, tries, commits, pauses, events, logged, failing, sizes };
}

const pauseOf = (webhookId: string, forMs: number): Pause => ({
  webhookId,
  version: 1,
  reason: 'retry_after',
  forMs,
  times: 1,
  error: '',
});
const recordOf = (deliveryId: string): OutcomeRecord => ({
  claimed: { deliveryId } as ClaimedDelivery,
  outcome: { kind: 'succeeded' },
  attempt: undefined,
});

const attempt: Attempt = {
  trigger: 'scheduled',
  startedAt: new Date(),
  durationMs: 1,
  destination: 'http://a.example',
  requestBody: '{}',
  response: undefined,
  failure: undefined,
  note: undefined,
};

test('a record that the database rejects is written without response texts; the error is logged', async () => {
  const { recorder, tries, events, logged } = start({ errors: [rejected] });
  const response = { statusCode: 500, body: 'a text', truncated: false, location: '/', retryAfter: '1' };
  const record: OutcomeRecord = { ...recordOf('d'), attempt: { ...attempt, response } };
  await recorder.record(record);
  const withoutTexts = { ...attempt, response: { statusCode: 500, body: '', truncated: true } };
  expect(tries).toEqual([record, { ...record, attempt: withoutTexts }]);
  expect([events, logged]).toEqual([['delivery.record_rejected'], [{ err: rejected, delivery_id: 'd' }]]);
});

test.each([{ body: 'a text' }, { location: '/' }, { retryAfter: '1' }])(
  'a rejected record is written without the response texts, even if %j is the only one',
  async (texts) => {
    const { recorder, tries } = start({ errors: [rejected] });
    const response = { statusCode: 500, body: '', truncated: false, ...texts };
    await recorder.record({ ...recordOf('d'), attempt: { ...attempt, response } });
    expect(tries[1]?.attempt?.response).toEqual({ statusCode: 500, body: '', truncated: true });
  },
);

test('outcomes that arrive together are committed in batches of at most 300', async () => {
  const { recorder, commits, sizes } = start();
  await Promise.all(Array.from({ length: 350 }, (_, index) => recorder.record(recordOf(`d${index}`))));
  expect(commits).toEqual(['record 300', 'record 50']);
  expect(sizes).toEqual([300, 50]);
});

test('deferrals that arrive together are committed together', async () => {
  const { recorder, commits } = start();
  const { claimed } = recordOf('d');
  await Promise.all(
    [1, 2].map((afterMs) => recorder.defer(claimed, { kind: 'deferred', afterMs, reason: 'no_slot' })),
  );
  expect(commits).toEqual(['defer 1,2']);
});

test('the longest of several concurrent pauses of a webhook is committed', async () => {
  const { recorder, pauses } = start();
  await Promise.all(
    [pauseOf('a', 1), pauseOf('a', 3), pauseOf('b', 5), pauseOf('a', 2)].map((pause) =>
      recorder.pause(pause),
    ),
  );
  const longest = pauses.flat().filter(({ webhookId }) => webhookId === 'a');
  expect(longest.at(-1)).toMatchObject({ forMs: 3 });
  expect(pauses.flat().filter(({ forMs }) => forMs === 2)).toEqual([]);
  expect(pauses.flat()).toContainEqual(pauseOf('b', 5));
});

test('an error while a pause is written or ended is logged and not thrown', async () => {
  const { recorder, commits, events, logged, failing } = start();
  failing.add('pause').add('resume a');
  await recorder.pause(pauseOf('a', 1));
  await recorder.resume('a');
  await recorder.resume('b');
  expect([commits, events]).toEqual([['resume b'], ['webhook.pause_failed', 'webhook.pause_failed']]);
  expect(logged).toEqual([{ err: new Error('pause failed') }, { err: new Error('resume a failed') }]);
});

test('a pause is not written later if the database is unavailable', async () => {
  const pauseError = Object.assign(new Error('The database is down.'), { code: 'ECONNREFUSED' });
  const { recorder, pauses, events } = start({ pauseError });
  await recorder.pause(pauseOf('a', 1));
  expect([pauses.length, events]).toEqual([1, ['webhook.pause_failed']]);
});

test.each<[string, OutcomeRecord]>([
  ['without an attempt', recordOf('d')],
  ['without a response', { ...recordOf('d'), attempt: { ...attempt, response: undefined } }],
  [
    'with an empty response',
    { ...recordOf('d'), attempt: { ...attempt, response: { statusCode: 200, body: '', truncated: false } } },
  ],
])('a rejected record %s is retried unchanged', async (_, record) => {
  const { recorder, commits, events, tries } = start({ errors: [rejected] });
  await recorder.record(record);
  expect(tries).toEqual([record, record]);
  expect([commits, events]).toEqual([['record 1'], []]);
});
