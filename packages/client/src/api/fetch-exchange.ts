import type { Exchange } from './transport.js';

/**
 * Creates the function that sends one HTTP request from a browser. A redirect is an error, because `fetch` hides the
 * status and the target of a redirect.
 */
export function createFetchExchange(send: typeof fetch): Exchange {
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
