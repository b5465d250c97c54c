import type { Dispatcher, Pool } from 'undici';

export interface Poster {
  post(body: string, onResponse: (statusCode: number, response: string) => void): void;
  close(): Promise<void>;
}

const headers = ['Content-Type', 'application/json'];

/** Sends requests with undici's `dispatch`, which creates no promise, stream or abort signal for each request. */
export function createPoster(pool: Pool): Poster {
  return {
    post(body, onResponse) {
      let status = 0;
      let response = '';
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          response += chunk.toString('latin1');
        },
        onResponseEnd() {
          onResponse(status, response);
        },
        onResponseError(_controller, error) {
          throw error;
        },
      };
      pool.dispatch({ method: 'POST', path: '/hook/0', headers, body }, handler);
    },
    close: () => pool.close(),
  };
}
