import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditAuthor } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { formatRawKey } from './raw-key.js';

/** A stored user key, without its hash. */
export interface ApiKey {
  id: string;
  description: string;
  isActive: boolean;
  createdAt: Date;
  /** Id of the principal (`principalId`); `tocsin-engine#admin-key` for the admin key. */
  createdBy: string;
  deactivatedAt: Date | null;
}

export interface ApiKeyStore {
  /**
   * Stores a key. Returns false and stores nothing if `maxActive` keys are already active, even under concurrent calls.
   */
  insert(key: ApiKey, hash: string, options: { maxActive: number; author: AuditAuthor }): Promise<boolean>;
  /** Lists all keys, newest first. */
  list(): Promise<ApiKey[]>;
  find(id: string): Promise<ApiKey | undefined>;
  /**
   * Deactivates a key. Returns false if the key does not exist. A key that is already inactive keeps its time of
   * deactivation.
   */
  deactivate(id: string, at: Date, author: AuditAuthor): Promise<boolean>;
}

export interface CreateApiKeyDeps {
  store: Pick<ApiKeyStore, 'insert'>;
  hash(secret: string): Promise<string>;
  maxActiveKeys: number;
}

export interface CreatedApiKey {
  key: ApiKey;
  /** The key that callers send as their credential: base64 of `{id}:{secret}`. It is returned once and never stored. */
  rawKey: string;
}

/**
 * Creates and stores a user key.
 * @throws AppError `conflict` if `maxActiveKeys` keys are active
 */
export async function createApiKey(
  { store, hash, maxActiveKeys }: CreateApiKeyDeps,
  { description, author }: { description: string; author: AuditAuthor },
): Promise<CreatedApiKey> {
  const id = randomUUID();
  const secret = randomBytes(32).toString('base64url');
  const key = {
    id,
    description,
    isActive: true,
    createdAt: new Date(),
    createdBy: author.principal,
    deactivatedAt: null,
  };
  if (await store.insert(key, await hash(secret), { maxActive: maxActiveKeys, author }))
    return { key, rawKey: formatRawKey({ id, secret }) };
  throw new AppError(
    'conflict',
    `${maxActiveKeys} keys are active, which is the limit; deactivate one first.`,
  );
}
