import { AppError } from './app-error.js';
import { createSingleFlight } from './concurrency/single-flight.js';
import { withTimeout } from './concurrency/timeout.js';
import { definePublicRoute, type Route } from './http/route.js';

/**
 * Checks a dependency. Rejects if the dependency does not work. The detail of an `AppError` is shown to callers.
 */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HealthOptions {
  /** Checks of the dependencies, by name. */
  checks: Readonly<Record<string, HealthCheck>>;
  /**
   * Returns true for an error that makes the service not ready. It should return false if the service works without the
   * dependency, or responds with 503 to requests that need it. With true, a load balancer would remove all instances at
   * once. Default: true for every error.
   */
  isOwnFault?: (error: unknown) => boolean;
  /** Timeout of each check, in milliseconds. Default: 2,000. */
  timeoutMs?: number;
}

const statusSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
} as const;

const readinessSchema = {
  type: 'object',
  required: ['status', 'dependencies'],
  properties: {
    status: { const: 'ok' },
    dependencies: {
      type: 'object',
      description: 'State of each dependency by name.',
      additionalProperties: { type: 'string', enum: ['ok', 'failing'] },
    },
  },
} as const;

/**
 * Returns the routes `/livez` and `/readyz`. `/livez` returns 200 while the process responds, and checks no dependency.
 * `/readyz` returns 503 if a check fails or times out with an error for which `isOwnFault` returns true. Its body
 * contains the state of each dependency, even if the status is 200. Anyone can call `/readyz`, so concurrent requests
 * share one run of the checks.
 */
export function healthRoutes(options: HealthOptions): Route<never>[] {
  const { checks, timeoutMs = 2_000, isOwnFault = () => true } = options;
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
      summary: 'Reports if the service can do its work, and the state of its dependencies.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'The service can do its work.', schema: readinessSchema } },
      problems: [503],
      handler: async () => {
        const failing = await flight.run('readyz', () => findFailing(checks, timeoutMs));
        const names = failing.map(({ name }) => name);
        const dependencies = Object.fromEntries(
          Object.keys(checks).map((name) => [name, names.includes(name) ? 'failing' : 'ok'] as const),
        );
        const faults = failing.filter(({ error }) => isOwnFault(error));
        if (faults.length === 0) return { status: 200, body: { status: 'ok', dependencies } };
        const sentences = faults.flatMap(({ error }) => (error instanceof AppError ? error.detail : []));
        const detail = [`Not ready: ${faults.map(({ name }) => name).join(', ')}.`, ...sentences].join(' ');
        const extra = { failing: names, dependencies };
        throw new AppError('unavailable', detail, { retryAfterSeconds: 1, extra });
      },
    }),
  ];
}

interface Failing {
  name: string;
  /** Only the detail of an `AppError` is shown to callers. Messages of other errors can contain host names. */
  error: unknown;
}

async function findFailing(checks: HealthOptions['checks'], timeoutMs: number): Promise<Failing[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<Failing[]> => {
      try {
        await withTimeout(check(AbortSignal.timeout(timeoutMs)), { timeoutMs });
        return [];
      } catch (error) {
        return [{ name, error }];
      }
    }),
  );
  return results.flat();
}
