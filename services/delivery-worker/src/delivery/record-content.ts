import type { SecretBox } from '@tocsin/database';
import { encryptAttempt, renderedLocation } from '@tocsin/deliveries';
import { splitBySize } from '@tocsin/kit';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt } from './outcome.js';

export interface RecordWithContent {
  claimed: ClaimedDelivery;
  /** The attempt; undefined if no request was sent. */
  attempt: Attempt | undefined;
  /** Rendered text that was not sent because it is not JSON. */
  rendered?: string | undefined;
}

/** The encrypted contents of several records, concatenated. */
export interface EncryptedContents {
  all: Buffer;
  /** Offset of each record's content in `all`, counted from 1 as in SQL. */
  offsets: number[];
  /** Length of each record's content in bytes; 0 if the record has none. */
  lengths: number[];
}

/**
 * Maximum length of the contents of a statement, in UTF-16 units. Compressing and encrypting them blocks the event
 * loop: 1 MiB of JSON takes 10 ms, and 1 MiB of random text takes 23 ms (docs/adr/0065).
 */
const maxContentLength = 1_048_576;

/**
 * Splits records into parts, one for each statement. A record whose content alone exceeds the limit has a part of its
 * own.
 */
export function splitByContent<Record extends RecordWithContent>(records: Record[]): Record[][] {
  return splitBySize(records, { sizeOf: contentLengthOf, maxSize: maxContentLength });
}

function contentLengthOf({ attempt, rendered = '' }: RecordWithContent): number {
  if (attempt === undefined) return rendered.length;
  return attempt.requestBody.length + (attempt.response?.body.length ?? 0);
}

export function encryptContents(records: RecordWithContent[], secretBox: SecretBox): EncryptedContents {
  const contents = records.map((record) => encryptContent(record, secretBox));
  const lengths = contents.map(({ length }) => length);
  let next = 1;
  const offsets = lengths.map((length) => {
    next += length;
    return next - length;
  });
  return { all: Buffer.concat(contents), offsets, lengths };
}

const noContent = Buffer.alloc(0);

/**
 * Encrypts the content of an attempt. If no request was sent because the rendered body was not JSON, encrypts this body
 * instead. Returns an empty buffer if there is nothing to encrypt.
 */
function encryptContent({ claimed, attempt, rendered }: RecordWithContent, secretBox: SecretBox): Buffer {
  if (attempt !== undefined) {
    const { requestBody, response } = attempt;
    const { body: responseBody = '', location, retryAfter } = response ?? {};
    return encryptAttempt({ requestBody, responseBody, location, retryAfter }, claimed, secretBox);
  }
  if (rendered === undefined) return noContent;
  const { workspaceId, deliveryId: id } = claimed;
  return secretBox.encrypt(rendered, renderedLocation({ workspaceId, id }));
}
