import { createLogger, type Logger } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { createDatabaseRetry } from '../database-retry.js';
import { createSettleMessage, type MessageOutcome } from './dead-letters.js';
import type { DeadLetter } from './dead-letters-repository.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const unprocessable = { kind: 'unprocessable', reason: 'malformed_message', detail: '' } as const;

/**
 * Calls `createSettleMessage` with a repository that collects the dead letters of each commit. The first `failures`
 * commits are also collected, but then rejected, as if their replies were lost.
 */
function start({ failures = 0, signal = new AbortController().signal, queue = 'alerts' } = {}) {
  const commits: DeadLetter[][] = [];
  const inProgress = { now: 0, max: 0 };
  let clockMs = 0;
  const counted: string[] = [];
  const logged: unknown[] = [];
  const settle = createSettleMessage({
    repository: {
      async add(letters: DeadLetter[]) {
        commits.push(letters);
        inProgress.now += 1;
        inProgress.max = Math.max(inProgress.max, inProgress.now);
        await new Promise((resolve) => setImmediate(resolve));
        inProgress.now -= 1;
        if (commits.length <= failures) throw new Error('The response was lost.');
      },
    },
    databaseRetry: createDatabaseRetry({ logger, signal }),
    now: async () => (clockMs += 1_000),
    logger: { warn: (fields: object, event: string) => logged.push([event, fields]) } as unknown as Logger,
    metrics: { deadLettered: (reason) => void counted.push(reason) },
  });
  /** Settles a message. Resolves to `ack`, or to `retry: ` with the error. */
  const settled = (content: Buffer, outcome: MessageOutcome = unprocessable, isReturned = () => false) =>
    new Promise<string>((resolve) => {
      const message: QueueMessage = {
        content,
        queue,
        routingKey: 'alert.fired',
        requestId: undefined,
        traceparent: undefined,
        publisher: undefined,
        redelivered: false,
        isReturned,
        ack: () => resolve('ack'),
        retry: (error) => resolve(`retry: ${error}`),
      };
      settle(message, outcome);
    });
  return { commits, counted, logged, inProgress, settled };
}

const failing = (code: string) => ({
  kind: 'error' as const,
  error: Object.assign(new Error('refused'), { code }),
});

test('a processed message is acknowledged and does not become a dead letter', async () => {
  const { commits, settled } = start();
  expect(await settled(Buffer.from('{}'), { kind: 'processed' })).toBe('ack');
  expect(commits).toEqual([]);
});

test.each(['22P05', '23514'])(
  'a message with a value that the database rejects with code %s becomes a dead letter',
  async (code) => {
    const { commits, settled } = start();
    const error = { ...failing(code), error: Object.assign(new Error('refused'), { code, constraint: 'c' }) };
    expect(await settled(Buffer.from('{}'), error)).toBe('ack');
    expect(commits).toMatchObject([
      [{ reason: 'invalid_message', detail: expect.stringContaining('refused') }],
    ]);
  },
);

test.each(['P0001', '42501', '57014', '23505', 'ECONNREFUSED'])(
  'a message whose processing fails with %s is retried and does not become a dead letter',
  async (code) => {
    const { commits, settled } = start();
    expect(await settled(Buffer.from('{}'), failing(code))).toBe('retry: Error: refused');
    expect(commits).toEqual([]);
  },
);

test('dead letters are written in batches of at most 200, one batch at a time', async () => {
  const { commits, inProgress, settled } = start();
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => settled(Buffer.from(`{${index}`))));
  expect(commits.map((letters) => letters.length)).toEqual([200, 200, 200, 200, 200]);
  expect(inProgress.max).toBe(1);
});

test('a statement stores at most 4 MiB of dead letters, and messages above 1 MiB are truncated', async () => {
  const { commits, settled } = start();
  const large = Array.from({ length: 10 }, () => settled(Buffer.alloc(1_048_576)));
  const largest = Array.from({ length: 10 }, () => settled(Buffer.alloc(1_048_577)));
  await Promise.all([...large, ...largest]);
  expect(commits.map((letters) => letters.length)).toEqual([4, 4, 12]);
});

test('dead letters are written again with the same ids if the reply to the commit was lost', async () => {
  const { commits, settled } = start({ failures: 1 });
  await Promise.all(['{1', '{2', '{3'].map((content) => settled(Buffer.from(content))));
  const [first, ...repeated] = commits.map((letters) => letters.map(({ id }) => id));
  expect(first).toHaveLength(3);
  expect(repeated.flat()).toEqual(first);
});

test('a dead letter is not written again after its message has returned to the broker', async () => {
  const { commits, counted, settled } = start({ failures: 1 });
  const [kept, returned] = ['{1', '{2'].map((text) => Buffer.from(text));
  const other = { ...unprocessable, reason: 'invalid_message' } as const;
  const isReturned = () => commits.length > 0;
  await Promise.all([settled(kept!), settled(returned!, other, isReturned)]);
  expect(commits.map((letters) => letters.map(({ content }) => content))).toEqual([[kept, returned], [kept]]);
  expect(counted).toEqual(['malformed_message']);
});

test('a message whose dead letter cannot be written before the worker stops is retried', async () => {
  const { settled } = start({ failures: 1, signal: AbortSignal.abort() });
  expect(await settled(Buffer.from('{1'))).toBe('retry: Error: The response was lost.');
});

const workspaceId = '0a5e0b9a-6a2d-4f0f-b1c3-d2e4f6a8b0c1';

test.each<[string, string | Buffer, string | undefined]>([
  ['an alert that is not valid', `{"workspace_id": "${workspaceId}", "alert_id": 1}`, workspaceId],
  ['an id in upper case', `{"workspace_id": "${workspaceId.toUpperCase()}"}`, workspaceId],
  ['no JSON', `{"workspace_id": "${workspaceId}"`, undefined],
  ['an id that is no UUID', '{"workspace_id": "x"}', undefined],
  ['a UUID after other characters', `{"workspace_id": "x${workspaceId}"}`, undefined],
  ['a UUID before other characters', `{"workspace_id": "${workspaceId}x"}`, undefined],
  ['a megabyte', `{"workspace_id": "${workspaceId}"}`.padEnd(1_048_576), workspaceId],
  ['an id that is no text', '{"workspace_id": {"toLowerCase": 1}}', undefined],
  ['an array', `["${workspaceId}"]`, undefined],
  ['null', 'null', undefined],
  ['deep nesting', '['.repeat(100_000), undefined],
  ['bytes that are no text', Buffer.from([0xff, 0x00]), undefined],
  ['more than a megabyte', `{"workspace_id": "${workspaceId}", "a": "${'x'.repeat(1_048_576)}"}`, undefined],
])('a dead letter gets the workspace of its message if it is readable: %s', async (_, content, expected) => {
  const { commits, settled } = start();
  expect(await settled(Buffer.from(content as string))).toBe('ack');
  expect(commits[0]?.[0]?.workspaceId).toBe(expected);
});

test.each([
  ['deliveries', 'delivery.dead_lettered'],
  ['alert-fired', 'alert.dead_lettered'],
])('a dead letter from the queue %s is logged as %s, without its content', async (queue, event) => {
  const { logged, settled } = start({ queue });
  await settled(Buffer.from('{"a'));
  expect(logged).toEqual([[event, { reason: 'malformed_message', bytes: 3, request_id: undefined }]]);
});

test('a dead letter from the queue of deliveries is stored without a workspace', async () => {
  const { commits, settled } = start({ queue: 'deliveries' });
  await settled(Buffer.from(`{"workspace_id": "${workspaceId}"}`));
  expect(commits[0]?.[0]?.workspaceId).toBeUndefined();
});
