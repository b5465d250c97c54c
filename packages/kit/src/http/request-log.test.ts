import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import type { Logger } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { requestLog } from './request-log.js';

/** Logs one response, and returns the level and the fields of its log line. */
function logged(status: number, { route = '/things', isFinished = true, error = undefined as unknown } = {}) {
  const lines: [level: string, fields: Record<string, unknown>][] = [];
  const logger = Object.fromEntries(
    ['debug', 'success', 'info', 'warn', 'error'].map((level) => [
      level,
      (fields: Record<string, unknown>) => lines.push([level, fields]),
    ]),
  ) as unknown as Logger;
  const response = Object.assign(new EventEmitter(), {
    statusCode: status,
    writableFinished: isFinished,
    locals: { request: { id: 'r', route, logFields: { thing_id: 't' }, error } },
  });
  const log = requestLog({ logger, metrics: createMetrics({ service: 'test' }) });
  log({ method: 'GET' } as Request, response as unknown as Response, () => {});
  response.emit('close');
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

test.each([
  [200, '/things', 'success'],
  [399, '/things', 'success'],
  [400, '/things', 'info'],
  [499, '/things', 'info'],
  [500, '/things', 'error'],
  [501, '/things', 'warn'],
  [503, '/things', 'warn'],
  [200, '/livez', 'debug'],
  [200, '/readyz', 'debug'],
  [503, '/readyz', 'warn'],
  [500, '/livez', 'error'],
])('the status %i of the route %s is logged at the level %s', (status, route, level) => {
  expect(logged(status, { route })).toEqual([
    level,
    { request_id: 'r', method: 'GET', route, status, duration_ms: expect.any(Number), thing_id: 't' },
  ]);
});

test('a response whose client has disconnected is logged with status 499', () => {
  expect(logged(200, { isFinished: false })).toMatchObject(['info', { status: 499 }]);
});

test('the whole error is logged for a status of 500 or above, and only its message below 500', () => {
  const error = new Error('wrong');
  const [, rejected] = logged(499, { error });
  expect(rejected).toMatchObject({ reason: 'wrong' });
  expect(rejected).not.toHaveProperty('err');
  const [, failed] = logged(500, { error });
  expect(failed).toMatchObject({ err: error });
  expect(failed).not.toHaveProperty('reason');
  expect(logged(404, { error: 'text' })[1]).toMatchObject({ err: 'text' });
});
