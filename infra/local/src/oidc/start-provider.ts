import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@tocsin/kit';
import type Provider from 'oidc-provider';
import { reasonToReject } from '../local-request.js';
import { readBody } from '../read-body.js';
import { renderPage } from '../render-page.js';
import { configureProvider, type RealmSettings } from './configuration.js';
import { createMemoryStore } from './memory-store.js';
import { makeSigningKey, type SigningKey } from './signing-keys.js';

export interface ProviderOptions extends RealmSettings {
  /** Port on 127.0.0.1. 0 selects any free port. */
  port: number;
  realm: string;
  /** Signing keys. Tokens are signed with the first one. By default, one key is generated. */
  signingKeys?: SigningKey[];
}

export interface RunningProvider {
  /** URL of the issuer, which is the claim `iss` of every token: `http://127.0.0.1:{port}/realms/{realm}`. */
  issuer: string;
  /**
   * Rotates the signing key. Old keys stay published unless `forgetOld` is true. Returns all published keys, newest
   * first.
   */
  rotateKeys(options?: { forgetOld?: boolean }): Promise<SigningKey[]>;
  close(): Promise<void>;
}

/**
 * Starts an OpenID provider for development and tests: one realm with the paths of Keycloak. Only this machine and the
 * pages of the console can use it.
 */
export async function startProvider(options: ProviderOptions): Promise<RunningProvider> {
  const { port, realm } = options;
  const mountPath = `/realms/${realm}`;
  const store = createMemoryStore();
  const consoleOrigins = options.consoleRedirectUris.map((uri) => new URL(uri).origin);
  const cookieKeys = [randomBytes(24).toString('base64url')];
  let keys = options.signingKeys?.length ? options.signingKeys : [await makeSigningKey()];
  // oidc-provider is imported only when a provider starts, because it prints a warning when Node.js 20 loads it. It
  // works with Node.js 20 nevertheless.
  const { default: OidcProvider } = await import('oidc-provider');
  let provider: Provider;
  let handle: ReturnType<Provider['callback']>;

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const reason = reasonToReject(request, consoleOrigins);
    if (reason !== undefined) {
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
      return;
    }
    if (!path.startsWith(`${mountPath}/`)) {
      response
        .writeHead(404, { 'content-type': 'text/plain' })
        .end(`This provider serves ${mountPath}/ only.\n`);
      return;
    }
    if (path.startsWith(`${mountPath}/interaction/`)) {
      signIn(provider, options, request, response).catch((error: unknown) =>
        respondWithError(response, error),
      );
      return;
    }
    // oidc-provider derives its mount path from the difference between `originalUrl` and `url`.
    Object.assign(request, { originalUrl: path });
    request.url = path.slice(mountPath.length);
    void handle(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mountPath}`;
  const publish = () => {
    provider = new OidcProvider(issuer, configureProvider(options, keys, store, cookieKeys));
    provider.on('server_error', (_ctx, error) => console.error(error));
    handle = provider.callback();
  };
  publish();

  return {
    issuer,
    async rotateKeys({ forgetOld = false } = {}) {
      const fresh = await makeSigningKey();
      keys = forgetOld ? [fresh] : [fresh, ...keys];
      publish();
      return keys;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function signIn(
  provider: Provider,
  { accounts }: RealmSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const client = await provider.Client.find(String(params.client_id));
  const page = {
    title: 'Sign in',
    action: request.url ?? '',
    clientName: client?.clientName ?? String(params.client_id),
  };
  if (request.method !== 'POST') return sendPage(response, 200, renderPage('sign-in', page));
  const body = await readBody(request, { what: 'form', maxBytes: 8_192 });
  const form = new URLSearchParams(body.toString('utf8'));
  const user = Object.hasOwn(accounts.users, form.get('username') ?? '')
    ? accounts.users[form.get('username') ?? '']
    : undefined;
  if (user === undefined || !isEqual(user.password, form.get('password') ?? '')) {
    return sendPage(
      response,
      401,
      renderPage('sign-in', { ...page, error: 'The user name or the password is wrong.' }),
    );
  }
  await provider.interactionFinished(request, response, { login: { accountId: user.id } });
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    })
    .end(html);
}

function respondWithError(response: ServerResponse, error: unknown): void {
  const reason = messageOf(error);
  if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`The sign-in could not continue (${reason}). Start again from the application.\n`);
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
