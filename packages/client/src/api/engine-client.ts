import { readServiceApiKey } from '../environment.js';
import type { Session } from '../sessions/session.js';
import { axiosSend } from './axios-send.js';
import { type ClientOptions, transportOptions } from './client-options.js';
import { createHealthApi, type HealthApi } from './health.js';
import { path } from './requests.js';
import type { ApiKey, CreateApiKey, CreatedApiKey } from './schemas.js';
import { type CallOptions, createTransport } from './transport.js';

export interface EngineClientOptions extends Omit<ClientOptions, 'credential'> {
  /** A raw key or a session. Default: the environment variable `SERVICE_API_KEY`. */
  credential?: Session | string | undefined;
}

export interface VerifiedCaller {
  /** Issuer of the token, or `tocsin-engine` for a key. Only issuer and subject together identify a caller. */
  issuer: string;
  subject: string;
  kind: string;
  /** Names of the caller's roles that belong to no workspace, such as `tocsin_engine_admin`. */
  roles: string[];
}

/** Manages the API keys of the engine, with the admin key or a session with the role `tocsin_engine_admin`. */
export interface KeysApi {
  /** Creates a key. Only this response contains the raw key. */
  create(key: CreateApiKey, options?: CallOptions): Promise<CreatedApiKey>;
  list(options?: CallOptions): Promise<ApiKey[]>;
  get(id: string, options?: CallOptions): Promise<ApiKey>;
  /** Deactivates a key permanently. */
  deactivate(id: string, options?: CallOptions): Promise<void>;
}

/** All operations of the engine's API. */
export interface EngineClient {
  keys: KeysApi;
  health: HealthApi;
  /**
   * Returns the caller to whom the credential belongs.
   * @throws UnauthenticatedError if the credential is missing, invalid or expired
   */
  verify(options?: VerifyOptions): Promise<VerifiedCaller>;
}

export interface VerifyOptions extends CallOptions {
  /**
   * HTTP method with which `/auth/verify` is called. Proxies call it with the method of the proxied request. Default:
   * GET.
   */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
}

/** @throws TypeError if neither `credential` nor `SERVICE_API_KEY` is set */
export function createEngineClient(options: EngineClientOptions): EngineClient {
  const credential = options.credential ?? readServiceApiKey();
  if (credential === undefined) throw new TypeError('Give a credential, or set SERVICE_API_KEY.');
  const send = createTransport(transportOptions(options, { credential, httpSend: axiosSend }));
  return {
    keys: {
      create: async (body, callOptions) =>
        (await send<CreatedApiKey>({ method: 'POST', path: '/auth/api_keys/', body, options: callOptions }))
          .body,
      list: async (callOptions) =>
        (await send<ApiKey[]>({ method: 'GET', path: '/auth/api_keys/', options: callOptions })).body,
      get: async (id, callOptions) =>
        (await send<ApiKey>({ method: 'GET', path: path`/auth/api_keys/${id}`, options: callOptions })).body,
      async deactivate(id, callOptions) {
        await send({ method: 'DELETE', path: path`/auth/api_keys/deactivate/${id}`, options: callOptions });
      },
    },
    health: createHealthApi(send),
    async verify({ method = 'GET', ...callOptions } = {}) {
      const request = { method, path: '/auth/verify', idempotent: true, options: callOptions };
      const { headers } = await send(request);
      return {
        issuer: headers.get('x-auth-issuer') ?? '',
        subject: decodeURIComponent(headers.get('x-auth-subject') ?? ''),
        kind: headers.get('x-auth-kind') ?? '',
        roles: (headers.get('x-auth-roles') ?? '').split(',').filter((role) => role !== ''),
      };
    },
  };
}
