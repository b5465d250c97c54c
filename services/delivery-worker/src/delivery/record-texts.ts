import type { SecretBox } from '@tocsin/database';
import { encodeExchange } from '@tocsin/deliveries';
import { splitBySize } from '@tocsin/kit';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt } from './outcome.js';

export interface RecordWithTexts {
  claimed: ClaimedDelivery;
  /** The attempt; undefined if no request was sent. */
  attempt: Attempt | undefined;
  /** Rendered text that was not sent because it is not JSON. */
  rendered?: string | undefined;
}

/** The encrypted texts of several records, concatenated. */
export interface EncryptedTexts {
  all: Buffer;
  /** Offset of each record's text in `all`, counted from 1 as in SQL. */
  offsets: number[];
  /** Length of each record's text in bytes; 0 if the record has none. */
  lengths: number[];
}

/**
 * Maximum length of the texts of a statement, in UTF-16 units. Compressing and encrypting the texts blocks the event
 * loop: 1 MiB of JSON takes 10 ms, and 1 MiB of random text takes 23 ms (docs/adr/0065).
 */
const maxTextLength = 1_048_576;

/**
 * Splits records into parts, one for each statement. A record whose texts alone exceed the limit has a part of its own.
 */
export function splitByTexts<Record extends RecordWithTexts>(records: Record[]): Record[][] {
  return splitBySize(records, { sizeOf: textLengthOf, maxSize: maxTextLength });
}

function textLengthOf({ attempt, rendered = '' }: RecordWithTexts): number {
  if (attempt === undefined) return rendered.length;
  return attempt.requestBody.length + (attempt.response?.body.length ?? 0);
}

export function encryptTexts(records: RecordWithTexts[], secrets: SecretBox): EncryptedTexts {
  const texts = records.map((record) => encryptText(record, secrets));
  const lengths = texts.map(({ length }) => length);
  let next = 1;
  const offsets = lengths.map((length) => {
    next += length;
    return next - length;
  });
  return { all: Buffer.concat(texts), offsets, lengths };
}

const noText = Buffer.alloc(0);

/**
 * Encrypts the texts of an attempt. If no request was sent because the rendered body was not JSON, encrypts this body
 * instead. Returns an empty buffer if there is nothing to encrypt.
 */
function encryptText({ claimed, attempt, rendered }: RecordWithTexts, secrets: SecretBox): Buffer {
  const { workspaceId, deliveryId, claim } = claimed;
  if (attempt !== undefined) {
    const { requestBody, response } = attempt;
    const { body: responseBody = '', location, retryAfter } = response ?? {};
    return secrets.encrypt(encodeExchange({ requestBody, responseBody, location, retryAfter }), {
      workspaceId,
      table: 'attempts',
      id: `${deliveryId}/${claim}`,
      column: 'exchange',
    });
  }
  if (rendered === undefined) return noText;
  return secrets.encrypt(rendered, { workspaceId, table: 'deliveries', id: deliveryId, column: 'rendered' });
}
