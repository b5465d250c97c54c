import { useTestDatabase } from '@tocsin/testing/database';
import { sqlArray } from '../src/sql-array.js';

const db = useTestDatabase();

/** Returns the array that the server received, in the server's text form. */
async function readBack(type: string, value: unknown): Promise<string> {
  const text = `select $1::${type}[]::text as seen`;
  const [row] = await db.database.prepared<{ seen: string }>({ name: `read-back.${type}`, text }, [value]);
  return row!.seen;
}

const samples = {
  uuid: ['018f3c5e-7c1a-8abc-9def-0123456789ab', 'FFFFFFFF-0000-4000-8000-000000000000', null],
  text: ['', 'a', null, 'null', 'NULL', '{"a","b\\"}', 'line\nfeed', '日本語 – 😀', '\u{10ffff}'],
  boolean: [true, null, false],
  smallint: [0, -1, 32_767, -32_768, null],
  integer: [0, -1, 2_147_483_647, -2_147_483_648, null],
  float8: [0, 0.1, 1e308, 5e-324, -2.5, null],
  bytea: [Buffer.from([0, 255, 92, 34]), Buffer.alloc(0), null],
  timestamptz: [
    new Date('2000-01-01T00:00:00.000Z'),
    new Date('1969-07-20T20:17:40.123Z'),
    new Date('2262-04-11T23:47:16.854Z'),
    null,
  ],
};

test.each(Object.entries(samples))(
  'PostgreSQL reads the same array of type %s from the binary and from the text format',
  async (type, values) => {
    const encode = sqlArray[type as keyof typeof sqlArray] as (values: unknown[]) => Buffer;
    expect(await readBack(type, encode(values))).toBe(await readBack(type, values));
    expect(await readBack(type, encode([]))).toBe('{}');
    expect(await readBack(type, encode([null]))).toBe('{NULL}');
  },
);

test('a lone surrogate is sent as the replacement character, as the library pg does', async () => {
  expect(await readBack('text', sqlArray.text(['a\ud83dz']))).toBe('{a�z}');
});

test.each([
  '',
  'x',
  '018f3c5e7c1a8abc9def0123456789ab',
  '018f3c5e-7c1a-8abc-9def-0123456789ag',
  '018f3c5e-7c1a-8abc-9def-0123456789abc',
  'é18f3c5e-7c1a-8abc-9def-0123456789ab',
])('the text %p is not a UUID and is rejected', (value) => {
  expect(() => sqlArray.uuid([value])).toThrow('is not a UUID');
});

test('a number outside the range of its type is rejected', () => {
  expect(() => sqlArray.smallint([40_000])).toThrow('out of range');
  expect(() => sqlArray.integer([2 ** 31])).toThrow('out of range');
});
