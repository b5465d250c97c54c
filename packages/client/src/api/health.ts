import type { CallOptions, Send } from './transport.js';

export interface HealthApi {
  /** Resolves if the process responds. */
  liveness(options?: CallOptions): Promise<void>;
  /** Resolves if the service is ready. @throws UnavailableError that names the failed checks */
  readiness(options?: CallOptions): Promise<void>;
}

export function createHealthApi(send: Send): HealthApi {
  const ask = async (path: string, options?: CallOptions) => {
    // `idempotent: false` prevents retries, because a health check must report the current state.
    await send({ method: 'GET', path, idempotent: false, options });
  };
  return {
    liveness: (options) => ask('/livez', options),
    readiness: (options) => ask('/readyz', options),
  };
}
