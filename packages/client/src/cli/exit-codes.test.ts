import { PublishError } from '@tocsin/messaging';
import { ConnectionError, toApiError } from '../api/errors.js';
import { AlertNotPublishedError } from '../publish/alert-publisher.js';
import { BrokerRejection, InvalidAlert } from '../publish/amqp-publisher.js';
import { SessionError } from '../sessions/session-error.js';
import { CommandFailure, exitCodeOf, exitCodes, exitCodesHelp } from './exit-codes.js';

test.each([
  [400, 6],
  [401, 3],
  [402, 1],
  [403, 4],
  [404, 5],
  [408, 8],
  [409, 7],
  [412, 7],
  [413, 6],
  [415, 6],
  [422, 6],
  [429, 8],
  [431, 6],
  [499, 1],
  [500, 8],
  [503, 8],
])('an API response with status %d ends the command with exit code %d', (status, exitCode) => {
  const error = toApiError({ status, text: '', isProblem: false, retryAfterMs: undefined });
  expect(exitCodeOf(error)).toBe(exitCode);
});

const alert = {
  alert_id: 'a',
  workspace_id: 'w',
  fired_at: '2026-01-31T09:00:00Z',
  alert_rule_id: 'r',
  model_id: 'm',
  model_name: 'n',
  metric_value: 1,
};

test.each([
  ['a failure with its own exit code', new CommandFailure(5, ''), 5],
  ['a provider that is unavailable', new SessionError('provider_unreachable', ''), 8],
  ['an issuer without TLS', new SessionError('insecure_issuer', ''), 2],
  ['a missing login', new SessionError('login_required', ''), 3],
  ['a login that the provider rejects', new SessionError('provider_rejected', ''), 3],
  ['a rejected login at the broker', new BrokerRejection('login', ''), 3],
  ['a missing permission at the broker', new BrokerRejection('permission', ''), 4],
  ['a missing exchange', new BrokerRejection('topology', ''), 1],
  ['an invalid alert', new InvalidAlert([]), 6],
  ['a broker that is unavailable', new PublishError('unavailable', ''), 8],
  ['a lost connection', new ConnectionError('connection_failed', ''), 8],
  ['a program error', new TypeError(''), 1],
])('%s ends the command with its exit code', (_, error, exitCode) => {
  expect(exitCodeOf(error)).toBe(exitCode);
  // An alert that was not published ends the command with the exit code of the cause.
  expect(exitCodeOf(new AlertNotPublishedError('unconfirmed', alert, { cause: error }))).toBe(exitCode);
});

test('the help lists every exit code', () => {
  const listed = [...exitCodesHelp.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(exitCodes));
  expect(listed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
});
