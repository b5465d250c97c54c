import { AppError } from './app-error.js';
import { createSingleFlight } from './concurrency/single-flight.js';
import { withTimeout } from './concurrency/timeout.js';
import { definePublicRoute } from './http/define-route.js';
import type { Route } from './http/route.js';

/** Resolves when the part works, rejects when it does not; an `AppError` has a sentence that callers may read. */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HealthOptions {
  /** What the service cannot work without, by name. */
  checks: Readonly<Record<string, HealthCheck>>;
  /** For each check; 2 s unless given. */
  timeoutMs?: number;
}

const statusSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
} as const;

/**
 * `/livez`: the process answers. `/readyz`: 503 naming the checks that fail or take too long. Callers at the same
 * time share one run of the checks, for the path is public.
 */
export function healthRoutes({ checks, timeoutMs = 2_000 }: HealthOptions): Route<never>[] {
  const flight = createSingleFlight<Failing[]>();
  return [
    definePublicRoute({
      method: 'GET',
      path: '/livez',
      operationId: 'getLiveness',
      summary: 'Whether the process answers.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'It does.', schema: statusSchema } },
      handler: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    definePublicRoute({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Whether every part that the service needs is there.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'It is.', schema: statusSchema } },
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
  /** Only what was written for callers: any other message may name hosts. */
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
