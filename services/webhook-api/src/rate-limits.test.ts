import type { Principal } from '@tocsin/identity';
import { AppError } from '@tocsin/kit';
import type { WebhookApiLimits } from './config.js';
import { createRateLimits } from './rate-limits.js';

const limits = {
  requestsPerMinute: 1,
  alertsPerMinute: 2,
  workspaceRequestsPerMinute: 3,
  workspaceAlertsPerMinute: 4,
} as WebhookApiLimits;

type Route = Parameters<ReturnType<typeof createRateLimits>['admit']>[0]['route'];

const request = { operationId: 'listWebhooks' } as Route;
const alert = { operationId: 'publishAlert' } as Route;
const batch = { operationId: 'publishAlertBatch' } as Route;
const ada = { issuer: 'https://id.example', subject: 'ada' } as Principal;

/** Returns the number of calls before the first rejection, and the detail of the rejection. */
function admitted(call: () => void): [number, string] {
  for (let count = 0; count < 100; count += 1) {
    try {
      call();
    } catch (error) {
      return [count, (error as AppError).detail];
    }
  }
  return [Number.POSITIVE_INFINITY, ''];
}

test('requests and published alerts of a principal have separate rate limits', () => {
  const { admit } = createRateLimits(limits);
  const ofPrincipal = (principal: Principal, route: Route) => admitted(() => admit({ principal, route }));
  const detail = 'Too many requests within a minute.';
  expect(ofPrincipal(ada, request)).toEqual([1, detail]);
  expect(ofPrincipal(ada, alert)).toEqual([2, detail]);
  expect(ofPrincipal(ada, request)).toEqual([0, detail]);
  expect(ofPrincipal({ ...ada, subject: 'bob' }, request)).toEqual([1, detail]);
  expect(ofPrincipal({ ...ada, issuer: 'https://other.example' }, alert)).toEqual([2, detail]);
});

test('requests to a workspace and alerts published to it have separate rate limits', () => {
  const { admitToWorkspace } = createRateLimits(limits);
  const ofWorkspace = (workspaceId: string, route: Route) =>
    admitted(() => admitToWorkspace({ workspaceId, route }));
  const detail = 'Too many requests to this workspace within a minute.';
  expect(ofWorkspace('a', request)).toEqual([3, detail]);
  expect(ofWorkspace('a', alert)).toEqual([4, detail]);
  expect(ofWorkspace('b', alert)).toEqual([4, detail]);
});

test.each([
  ['principal', { alertsPerMinute: 5, workspaceAlertsPerMinute: 100 }, 'Too many requests within a minute.'],
  [
    'workspace',
    { alertsPerMinute: 100, workspaceAlertsPerMinute: 5 },
    'Too many requests to this workspace within a minute.',
  ],
])('a batch above the rate limit of its %s counts towards neither rate limit', (_, changed, detail) => {
  const { admit, admitToWorkspace, admitBatch } = createRateLimits({ ...limits, ...changed });
  const publish = (alerts: number) => {
    admit({ principal: ada, route: batch });
    admitToWorkspace({ workspaceId: 'a', route: batch });
    admitBatch({ principal: ada, workspaceId: 'a', alerts });
  };
  expect(() => publish(6)).toThrow(expect.objectContaining({ status: 429, detail: detail }));
  publish(2);
  expect(() => publish(4)).toThrow(detail);
  publish(3);
  expect(() => publish(1)).toThrow(detail);
});

test('a request above a rate limit is rejected with 429 and the code too_many_requests', () => {
  const { admit } = createRateLimits(limits);
  const call = () => admit({ principal: ada, route: request });
  call();
  expect(call).toThrow(AppError);
  expect(call).toThrow(expect.objectContaining({ status: 429, code: 'too_many_requests' }));
});
