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

export interface SignedRequest {
  /** Id of the message; equal in all attempts to send it. */
  id: string;
  body: string;
  /** Time of the attempt in Unix milliseconds. */
  atMs: number;
  /** Keys to sign with; each adds one signature. */
  keys: Buffer[];
}

/**
 * Returns the header lines (name, value, name, value, …) that sign a request as the Standard Webhooks specification
 * defines: HMAC-SHA256 of the id, the time in seconds and the body, joined with dots.
 */
export function signRequest({ id, body, atMs, keys }: SignedRequest): string[] {
  const seconds = String(Math.floor(atMs / 1_000));
  const signed = `${id}.${seconds}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const [idName, timeName, signatureName] = signatureHeaders;
  return [idName, id, timeName, seconds, signatureName, signatures.join(' ')];
}
