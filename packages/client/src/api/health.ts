import type { CallOptions, Send } from './transport.js';

export interface HealthApi {
  /** Resolves when the process answers. */
  liveness(options?: CallOptions): Promise<void>;
  /** Resolves when every part that the service needs is there. @throws UnavailableError naming those that are not. */
  readiness(options?: CallOptions): Promise<void>;
}

export function createHealthApi(send: Send): HealthApi {
  const ask = async (path: string, options?: CallOptions) => {
    // Not idempotent in the sense of trying again: whoever asks wants to know how it is now.
    await send({ method: 'GET', path, idempotent: false, options });
  };
  return {
    liveness: (options) => ask('/livez', options),
    readiness: (options) => ask('/readyz', options),
  };
}
