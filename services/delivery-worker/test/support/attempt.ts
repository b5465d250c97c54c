import type { Attempt } from '../../src/delivery/outcome.js';

/** Creates an attempt that ended with status 200 just now. */
export function createAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    trigger: 'scheduled',
    startedAt: new Date(),
    durationMs: 12,
    destination: 'http://127.0.0.1:9',
    requestBody: '{}',
    response: { statusCode: 200, body: 'ok', truncated: false },
    failure: undefined,
    note: undefined,
    ...changes,
  };
}
