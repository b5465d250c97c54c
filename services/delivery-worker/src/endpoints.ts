import {
  AppError,
  createHttpApp,
  type HealthCheck,
  type HttpServer,
  healthRoutes,
  type Logger,
  listen,
  type Metrics,
} from '@tocsin/kit';

export interface HealthServerOptions {
  address: { host: string; port: number };
  logger: Logger;
  metrics: Metrics;
  checks: Record<string, HealthCheck>;
}

/** `/livez` and `/readyz`, and nothing else: the worker has no API. */
export function serveHealth({ address, logger, metrics, checks }: HealthServerOptions): Promise<HttpServer> {
  const app = createHttpApp({
    logger,
    metrics,
    routes: healthRoutes({ checks }),
    authenticate: async () => {
      throw new AppError('unauthenticated', 'Only /livez and /readyz are served here.');
    },
    authorize: () => {},
  });
  return listen(app, address);
}
