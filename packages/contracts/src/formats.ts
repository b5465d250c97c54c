import type { Ajv2020 } from 'ajv/dist/2020.js';

/** The string formats of our schemas, as strict as what stores and renders the values (RFC 9562, RFC 3339, WHATWG URL). */
export function addFormats(ajv: Ajv2020): void {
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('uri', (text) => URL.canParse(text));
}

// No `urn:uuid:`, which PostgreSQL does not take.
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// No leap second, which JavaScript's Date does not take.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDateTime(text: string): boolean {
  const match = dateTime.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // PostgreSQL knows no year 0; day 0 of the next month is the last of this one.
  return (
    year > 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  );
}
