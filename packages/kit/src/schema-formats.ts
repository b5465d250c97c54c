import type { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * Adds what our schemas use beyond JSON Schema: string formats (RFC 9562, RFC 3339, WHATWG URL, printable text), as strict as
 * PostgreSQL and JavaScript's Date, and `x-max-bytes`, the UTF-8 bytes that names and texts of an object may have together.
 */
export function addFormatsAndKeywords(ajv: Ajv2020): void {
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('printable', printable);
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'object',
    schemaType: 'number',
    errors: false,
    validate: (limit: number, value: object) => textBytesOf(value) <= limit,
  });
  // Keywords for the documents and the HTTP server; they check nothing.
  ajv.addVocabulary(['example', 'x-items-apart']);
}

/** True for a text that the format `uuid` allows. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

function textBytesOf(value: object): number {
  let bytes = 0;
  for (const [name, text] of Object.entries(value)) {
    bytes += Buffer.byteLength(name) + (typeof text === 'string' ? Buffer.byteLength(text) : 0);
  }
  return bytes;
}

// The `urn:uuid:` prefix is not allowed: PostgreSQL rejects it.
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// Characters that are visible, the space, and the joiner of emoji. Others of the categories C (control characters, directions of
// text) and Z (further white space) would let two different ids look alike.
const printable = /^(?:[^\p{C}\p{Z}]|[ \u200d])*$/u;
// Leap seconds are not allowed: JavaScript's Date rejects them.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDateTime(text: string): boolean {
  const match = dateTime.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // PostgreSQL has no year 0. Day 0 of the next month is the last day of this month.
  return (
    year > 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  );
}
