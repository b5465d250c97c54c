import type { CallOptions, Send } from './transport.js';

export interface HealthApi {
  /** Resolves when the process responds. */
  liveness(options?: CallOptions): Promise<void>;
  /** Resolves when the service is ready. @throws UnavailableError naming the failing checks. */
  readiness(options?: CallOptions): Promise<void>;
}

export function createHealthApi(send: Send): HealthApi {
  const ask = async (path: string, options?: CallOptions) => {
    // Declared as not idempotent, so that it is not retried: the caller wants the state of this moment.
    await send({ method: 'GET', path, idempotent: false, options });
  };
  return {
    liveness: (options) => ask('/livez', options),
    readiness: (options) => ask('/readyz', options),
  };
}
