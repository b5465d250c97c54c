/** The entry for browsers: the client of the platform API, without sessions and publishers, which need Node. */
import { type ClientOptions, transportOptions } from './api/client-options.js';
import { createPlatformApi, type PlatformApiOptions, type PlatformClient } from './api/platform-api.js';
import { createTransport, type HttpSend } from './api/transport.js';
import type { Session } from './sessions/session.js';

export interface BrowserClientOptions extends Omit<ClientOptions, 'credential'>, PlatformApiOptions {
  /**
   * Resolves with a valid access token. After the API has rejected a token with 401, the function is called with
   * that token as the member `rejected` of its argument, and must return another one.
   */
  token: Session['token'];
  /** Sends the requests. Default: the `fetch` of the page. */
  fetch?: typeof fetch | undefined;
}

/**
 * @example
 * const tocsin = createPlatformClient({ url: location.origin, token: async () => user.access_token, workspaceId });
 */
export function createPlatformClient(options: BrowserClientOptions): PlatformClient {
  const { token, fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const httpSend = createFetchSend(send);
  return createPlatformApi(
    createTransport(transportOptions(options, { credential: { token }, httpSend })),
    options,
  );
}

/**
 * Creates the function that sends one HTTP request from a browser. A redirect is an error, because `fetch` hides the
 * status and the target of a redirect from its caller.
 */
function createFetchSend(send: typeof fetch): HttpSend {
  return async ({ body, ...request }) => {
    const response = await send(request.url, {
      ...request,
      body: body ?? null,
      redirect: 'error',
      credentials: 'omit',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

export * from './platform-exports.js';
