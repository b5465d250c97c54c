import { generateKeyPair, type JsonWebKey, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

/** Private RSA key in the format of the provider's key set. */
export type SigningKey = JsonWebKey & { kty: 'RSA'; kid: string; alg: 'RS256'; use: 'sig' };

export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, kty: 'RSA', kid: randomUUID(), alg: 'RS256', use: 'sig' };
}
