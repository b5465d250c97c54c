import { createHmac, randomBytes } from 'node:crypto';

/** Headers of a signed request, in lower case as the Standard Webhooks specification writes them. */
export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const secretPrefix = 'whsec_';
const secretBytes = 32;

/** Creates a signing secret: `whsec_` and the base64 encoding of 32 random bytes. */
export function createSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/** Returns the 32 bytes of the key in a secret from `createSigningSecret`. */
export function signingKeyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

export interface AddedHeaders {
  /** Id of the message; equal in all attempts to send it. */
  id: string;
  body: string;
  /** Time of the attempt in Unix milliseconds. */
  atMs: number;
  /** Keys to sign with; each adds one signature. Without a key, the request is not signed. */
  keys: Buffer[];
  /** Name of a header that contains the id. */
  idempotencyHeader?: string | null | undefined;
}

/**
 * Returns the headers that the options of a webhook add to a request, as a list in which each name is followed by its
 * value. The signature is that of the Standard Webhooks specification: HMAC-SHA256 of the id, the time in seconds and
 * the body, joined with dots.
 */
export function addedHeaders({ id, body, atMs, keys, idempotencyHeader }: AddedHeaders): string[] {
  const signature = keys.length === 0 ? [] : sign({ id, body, atMs, keys });
  return idempotencyHeader ? [...signature, idempotencyHeader, id] : signature;
}

function sign({ id, body, atMs, keys }: AddedHeaders): string[] {
  const seconds = String(Math.floor(atMs / 1_000));
  const signed = `${id}.${seconds}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const [idName, timeName, signatureName] = signatureHeaders;
  return [idName, id, timeName, seconds, signatureName, signatures.join(' ')];
}
