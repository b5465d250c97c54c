import type { Exchange } from './transport.js';

/** Exchange for browsers. A redirect is an error, because `fetch` shows neither its status nor its target. */
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
