import type { Dispatcher, Pool } from 'undici';

export interface Poster {
  post(body: string, onResponse: (statusCode: number, response: string) => void): void;
  close(): Promise<void>;
}

const headers = ['Content-Type', 'application/json'];

/** Uses undici's `dispatch`, which makes no promise, stream or signal for a request. */
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
