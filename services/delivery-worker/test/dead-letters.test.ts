import { useTestDatabase } from '@tocsin/testing/database';
import {
  createDeadLettersRepository,
  type DeadLetter,
  deadLetterId,
} from '../src/dead-letters/dead-letters-repository.js';

const db = useTestDatabase();
beforeEach(() => db.database.knex('dead_letters').delete());

const add = (...letters: DeadLetter[]) => createDeadLettersRepository(db.database).add(letters);
const stored = () => db.database.knex('dead_letters').orderBy('id');
const minute = 60_000;

function letter({ atMs = Date.now(), ...changes }: Partial<DeadLetter> & { atMs?: number } = {}): DeadLetter {
  const rest = {
    reason: 'malformed_message' as const,
    detail: 'The message is not JSON.',
    queue: 'alert-fired',
    routingKey: 'alert.fired',
    content: Buffer.from('{"'),
    requestId: undefined,
    workspaceId: undefined,
    redelivered: false,
    ...changes,
  };
  return { ...rest, id: deadLetterId(atMs, rest) };
}

test('a dead letter is stored unchanged, except for characters that a text column rejects', async () => {
  const atMs = Date.UTC(2026, 0, 2);
  const bytes = Buffer.from([0, 255, 10]);
  await add(
    letter({ atMs, content: bytes, requestId: 'a-request' }),
    letter({ atMs: atMs + 1, routingKey: 'a\0b', detail: 'c\ud800d', content: Buffer.alloc(0) }),
  );
  expect(await stored()).toMatchObject([
    { content: bytes, request_id: 'a-request', created_at: new Date(atMs), requeued_at: null },
    { routing_key: 'a\uFFFDb', detail: 'c\uFFFDd', content: Buffer.alloc(0), request_id: null },
  ]);
});

test('a dead letter of more than 1 MiB is stored with only its beginning and its full size', async () => {
  await add(letter({ content: Buffer.alloc(1_048_577) }), letter({ content: Buffer.alloc(1_048_576) }));
  const sizes = (await stored()).map(({ content, size_bytes }) => [content.length, size_bytes]);
  expect(sizes).toContainEqual([131_072, 1_048_577]);
  expect(sizes).toContainEqual([1_048_576, 1_048_576]);
});

test('a dead letter that is written twice, for example after a lost reply, is stored once', async () => {
  const entry = letter();
  await add(entry);
  await add(entry, letter({ content: Buffer.from('another') }));
  expect(await stored()).toHaveLength(2);
});

test('a message that is redelivered after a crash does not become a second dead letter', async () => {
  const atMs = Date.now() - minute;
  await add(letter({ atMs }), letter({ atMs, requestId: 'a-request' }));
  const other = letter({ redelivered: true, content: Buffer.from('{"other') });
  await add(letter({ redelivered: true }), letter({ redelivered: true, requestId: 'a-request' }), other);
  const ids = (await stored()).map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(ids.at(-1)).toBe(other.id);
});

test.each([
  [59, 1],
  [61, 2],
])(
  'a message that the broker redelivers %i minutes after its dead letter has %i dead letters',
  async (ago, total) => {
    const atMs = Date.now();
    await add(letter({ atMs: atMs - ago * minute }));
    await add(letter({ atMs, redelivered: true }));
    expect(await stored()).toHaveLength(total);
  },
);

test.each([{ queue: 'deliveries' }, { routingKey: 'alert.ended' }, { content: Buffer.from('{"a') }])(
  'a redelivered message with %j differs from the stored dead letter and becomes a second one',
  async (changes) => {
    await add(letter({ atMs: Date.now() - minute }));
    await add(letter({ redelivered: true, ...changes }));
    expect(await stored()).toHaveLength(2);
  },
);

test('a message not marked as redelivered becomes a dead letter even if an equal one is stored', async () => {
  await add(letter({ atMs: Date.now() - minute }));
  await add(letter());
  expect(await stored()).toHaveLength(2);
});

test('a requeued message that fails again becomes a new dead letter', async () => {
  await add(letter({ atMs: Date.now() - minute }));
  await db.database.knex('dead_letters').update({ requeued_at: new Date() });
  await add(letter({ redelivered: true }));
  expect(await stored()).toMatchObject([{ requeued_at: expect.any(Date) }, { requeued_at: null }]);
});
