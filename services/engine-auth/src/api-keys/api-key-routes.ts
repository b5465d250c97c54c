import type { AuditAuthor } from '@tocsin/database';
import { principalId } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import { defineRoute, type EngineCaller } from '../verify/engine-caller.js';
import { type ApiKeyStore, type CreateApiKeyDeps, createApiKey } from './api-key.js';
import {
  apiKeyParams,
  apiKeySchema,
  createApiKeySchema,
  createdApiKeySchema,
  presentApiKey,
} from './api-key-schema.js';

export interface ApiKeyRoutesDeps extends CreateApiKeyDeps {
  store: ApiKeyStore;
  /** Removes a deactivated key from the cache of this instance and, with a broadcast, from those of other instances. */
  forgetEverywhere(id: string): Promise<void>;
}

// Keys belong to the whole deployment. The permission is checked before the key is read, so callers without it do not
// learn which ids exist.
const manageKeys = {
  permission: 'api_key_manage',
  locate: () => ({ workspaceId: null, resource: undefined }),
} as const;

const message = 'Keep this key: it is shown only now and cannot be fetched later.';

export function apiKeyRoutes(deps: ApiKeyRoutesDeps): Route<EngineCaller>[] {
  const { store, forgetEverywhere } = deps;
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/api_keys/',
      operationId: 'createApiKey',
      summary: 'Creates a user key; only this response contains its raw form.',
      tag: 'api keys',
      access: manageKeys,
      body: createApiKeySchema,
      responses: {
        201: {
          description: 'The key.',
          schema: createdApiKeySchema,
          headers: { Location: 'Path of the key.' },
        },
      },
      problems: [409],
      handler: async ({ body, principal, requestId, log }) => {
        const author = authorOf(principal, requestId);
        const { key, rawKey } = await createApiKey(deps, { ...body, author });
        log({ api_key_id: key.id });
        const { id, description, created_at } = presentApiKey(key);
        return {
          status: 201,
          headers: { Location: `/auth/api_keys/${id}` },
          body: { id, key: rawKey, description, is_active: true, created_at, message },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/auth/api_keys/',
      operationId: 'listApiKeys',
      summary: 'Lists all user keys, newest first.',
      tag: 'api keys',
      access: manageKeys,
      responses: { 200: { description: 'The keys.', schema: { type: 'array', items: apiKeySchema } } },
      handler: async () => ({ status: 200, body: (await store.list()).map(presentApiKey) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/auth/api_keys/{id}',
      operationId: 'getApiKey',
      summary: 'Reads a user key.',
      tag: 'api keys',
      access: manageKeys,
      params: apiKeyParams,
      responses: { 200: { description: 'The key.', schema: apiKeySchema } },
      problems: [404],
      handler: async ({ params }) => {
        const key = await store.find(params.id);
        if (!key) throw noSuchKey();
        return { status: 200, body: presentApiKey(key) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/auth/api_keys/deactivate/{id}',
      operationId: 'deactivateApiKey',
      summary: 'Deactivates a user key permanently. A repeated request has no effect.',
      tag: 'api keys',
      access: manageKeys,
      params: apiKeyParams,
      responses: { 204: { description: 'The key is inactive.' } },
      problems: [404],
      handler: async ({ params, principal, requestId, log }) => {
        const id = params.id.toLowerCase();
        log({ api_key_id: id });
        if (!(await store.deactivate(id, new Date(), authorOf(principal, requestId)))) throw noSuchKey();
        await forgetEverywhere(id);
        return { status: 204 };
      },
    }),
  ];
}

function authorOf(caller: EngineCaller, requestId: string): AuditAuthor {
  return { principal: principalId(caller), principalName: caller.display, requestId };
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no key with this id.');
}
