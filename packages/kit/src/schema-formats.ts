import type { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * Adds the formats and keywords that Tocsin's schemas use beyond JSON Schema. The format `uuid` (RFC 9562) rejects all
 * texts that PostgreSQL rejects, and `date-time` (RFC 3339) rejects all texts that JavaScript's Date rejects and all
 * years in UTC that do not have four digits. `uri` accepts the URLs of the WHATWG standard. `printable` rejects control
 * characters, and white space except the space. `x-max-bytes` limits the total UTF-8 bytes of the member names and
 * string values of an object.
 */
export function addFormatsAndKeywords(ajv: Ajv2020): void {
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', (text) => describeInvalidDateTime(text) === undefined);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('printable', printable);
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'object',
    schemaType: 'number',
    errors: false,
    validate: (limit: number, value: object) => textBytesOf(value) <= limit,
  });
  // ajv must know this keyword of the check of request bodies, but does not validate it.
  ajv.addVocabulary(['x-items-apart']);
}

/** Returns true for a string that is valid in the format `uuid`. */
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

// The prefix `urn:uuid:` is not allowed, because PostgreSQL rejects it.
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// The Unicode categories C (control characters, text directions) and Z (white space) are not allowed, except the space
// and the zero-width joiner of emoji, because with them two different ids could look alike. A few invisible characters
// of other categories are allowed, for example the Hangul filler U+3164.
const printable = /^(?:[^\p{C}\p{Z}]|[ \u200d])*$/u;
// Leap seconds are not allowed, because JavaScript's Date rejects them.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A time whose `+` was decoded to a space, because the query of a URL contained it unescaped. */
const spaceForPlus = /:\d\d(?:\.\d+)? \d\d:\d\d$/;

const validTime =
  'must be a time with seconds and a zone, such as 2025-01-31T12:00:00Z or 2025-01-31T14:00:00.5+02:00';

/** Returns the reason why a text is invalid in the format `date-time`; undefined for a valid text. */
export function describeInvalidDateTime(text: string): string | undefined {
  const match = dateTime.exec(text);
  if (!match) return spaceForPlus.test(text) ? `${validTime}; in a URL, write + as %2B` : validTime;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // `Date.UTC` counts months from 0, so `month` is the index of the next month, and day 0 of the next month is the last
  // day of the given month.
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay) return validTime;
  // The API returns times in UTC with a year of four digits, and PostgreSQL has no year 0.
  const utcYear = new Date(text).getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9_999 ? undefined : 'must be within the years 0001 to 9999 in UTC';
}
