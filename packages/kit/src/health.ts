import { AppError } from './app-error.js';
import { createSingleFlight } from './concurrency/single-flight.js';
import { withTimeout } from './concurrency/timeout.js';
import { definePublicRoute, type Route } from './http/route.js';

/** Rejects when a dependency does not work. The detail of an `AppError` is shown to callers. */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HealthOptions {
  /** Checks of the dependencies that the service cannot work without, by name. */
  checks: Readonly<Record<string, HealthCheck>>;
  /** Timeout of each check; 2 s unless given. */
  timeoutMs?: number;
}

const statusSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
} as const;

/**
 * `/livez` is 200 while the process responds. `/readyz` is 503 when a check fails or times out, and names it. Concurrent
 * requests share one run of the checks, because the path is public.
 */
export function healthRoutes({ checks, timeoutMs = 2_000 }: HealthOptions): Route<never>[] {
  const flight = createSingleFlight<Failing[]>();
  return [
    definePublicRoute({
      method: 'GET',
      path: '/livez',
      operationId: 'getLiveness',
      summary: 'Reports that the process responds.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'The process responds.', schema: statusSchema } },
      handler: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    definePublicRoute({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Checks the dependencies of the service.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'All dependencies work.', schema: statusSchema } },
      problems: [503],
      handler: async () => {
        const failing = await flight.run('readyz', () => findFailing(checks, timeoutMs));
        if (failing.length === 0) return { status: 200, body: { status: 'ok' } };
        const names = failing.map(({ name }) => name);
        const detail = [
          `Not ready: ${names.join(', ')}.`,
          ...failing.flatMap(({ sentence }) => sentence),
        ].join(' ');
        throw new AppError('unavailable', detail, { retryAfterSeconds: 1, extra: { failing: names } });
      },
    }),
  ];
}

interface Failing {
  name: string;
  /** Detail of an `AppError`; other messages are withheld, because they can name hosts. */
  sentence: string[];
}

async function findFailing(checks: HealthOptions['checks'], timeoutMs: number): Promise<Failing[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<Failing[]> => {
      try {
        await withTimeout(check(AbortSignal.timeout(timeoutMs)), { timeoutMs });
        return [];
      } catch (error) {
        return [{ name, sentence: error instanceof AppError ? [error.detail] : [] }];
      }
    }),
  );
  return results.flat();
}
