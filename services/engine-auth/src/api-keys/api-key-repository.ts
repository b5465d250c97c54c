import { type Database, lockName, recordChanges } from '@tocsin/database';
import type { ApiKey, ApiKeyStore } from './api-key.js';

interface ApiKeyRow {
  id: string;
  description: string;
  is_active: boolean;
  created_at: Date;
  created_by: string;
  deactivated_at: Date | null;
}

interface HashRow {
  id: string;
  key_hash: string;
}

const columns: (keyof ApiKeyRow)[] = [
  'id',
  'description',
  'is_active',
  'created_at',
  'created_by',
  'deactivated_at',
];

const findActiveHash = {
  name: 'engine_auth.find_active_hash',
  text: 'select key_hash from api_keys where id = $1 and is_active',
};

const findActiveHashes = {
  name: 'engine_auth.find_active_hashes',
  text: 'select id, key_hash from api_keys where id = any($1::uuid[]) and is_active',
};

export interface ApiKeyRepository extends ApiKeyStore {
  findActiveHash(id: string): Promise<string | undefined>;
  /** Returns the hash of each active key among `ids`, by id. */
  findActiveHashes(ids: string[]): Promise<Map<string, string>>;
}

export function createApiKeyRepository(database: Database): ApiKeyRepository {
  const { knex } = database;
  return {
    insert: (key, hash, { maxActive, author }) =>
      knex.transaction(async (transaction) => {
        // Without the lock, concurrent calls could all count before they insert, and together exceed the maximum.
        // PostgreSQL releases the lock at the end of the transaction.
        await lockName(transaction, 'api_keys');
        const counted = await transaction('api_keys')
          .where({ is_active: true })
          .count({ active: '*' })
          .first();
        if (Number(counted?.active) >= maxActive) return false;
        await transaction('api_keys').insert({ ...toRow(key), key_hash: hash });
        const created = { workspaceId: null, action: 'api_key.created', resourceId: key.id } as const;
        await recordChanges(transaction, author, [created]);
        return true;
      }),

    async list() {
      const rows = await knex<ApiKeyRow>('api_keys')
        .select(columns)
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      return rows.map(toApiKey);
    },

    async find(id) {
      const row = await knex<ApiKeyRow>('api_keys').select(columns).where({ id }).first();
      return row && toApiKey(row);
    },

    deactivate: (id, at, author) =>
      knex.transaction(async (transaction) => {
        const [key] = await transaction('api_keys').select('is_active').where({ id }).forUpdate();
        if (key === undefined) return false;
        if (!key.is_active) return true;
        await transaction('api_keys').where({ id }).update({ is_active: false, deactivated_at: at });
        const deactivated = { workspaceId: null, action: 'api_key.deactivated', resourceId: id } as const;
        await recordChanges(transaction, author, [deactivated]);
        return true;
      }),

    async findActiveHash(id) {
      const [row] = await database.prepared<{ key_hash: string }>(findActiveHash, [id]);
      return row?.key_hash;
    },

    async findActiveHashes(ids) {
      const rows = await database.prepared<HashRow>(findActiveHashes, [ids]);
      return new Map(rows.map(({ id, key_hash }) => [id, key_hash]));
    },
  };
}

function toRow({ id, description, isActive, createdAt, createdBy, deactivatedAt }: ApiKey): ApiKeyRow {
  return {
    id,
    description,
    is_active: isActive,
    created_at: createdAt,
    created_by: createdBy,
    deactivated_at: deactivatedAt,
  };
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    description: row.description,
    isActive: row.is_active,
    createdAt: row.created_at,
    createdBy: row.created_by,
    deactivatedAt: row.deactivated_at,
  };
}
