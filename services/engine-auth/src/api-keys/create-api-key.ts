import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '@tocsin/kit';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import { formatRawKey } from './raw-key.js';
import { digestOf, secretTag } from './secret-tag.js';

export interface CreateApiKeyDeps {
  store: Pick<ApiKeyStore, 'insert'>;
  hash(secret: string): Promise<string>;
  maxActiveKeys: number;
}

export interface CreatedApiKey {
  key: ApiKey;
  /** Given to the caller once, and kept nowhere. */
  rawKey: string;
}

/** @throws AppError `conflict` when as many keys are active as may be. */
export async function createApiKey(
  { store, hash, maxActiveKeys }: CreateApiKeyDeps,
  { description, createdBy }: { description: string; createdBy: string },
): Promise<CreatedApiKey> {
  const id = randomUUID();
  const secret = randomBytes(32).toString('base64url');
  const key = { id, description, isActive: true, createdAt: new Date(), createdBy, deactivatedAt: null };
  const stored = { hash: await hash(secret), tag: secretTag(digestOf({ id, secret })) };
  if (await store.insert(key, stored, maxActiveKeys)) return { key, rawKey: formatRawKey({ id, secret }) };
  throw new AppError(
    'conflict',
    `${maxActiveKeys} keys are active, which is the most; deactivate one first.`,
  );
}
