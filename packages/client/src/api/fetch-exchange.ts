import type { Exchange } from './transport.js';

/** Exchange of browsers. A redirect is an error: its response would be opaque. */
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
