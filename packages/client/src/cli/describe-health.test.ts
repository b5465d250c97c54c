import type { Webhook } from '../api/schemas.js';
import { describeHealth, describeLastError, describeTrouble } from './describe-health.js';

const at = '2026-01-31T12:00:00.000Z';
const failing: Webhook['health'] = {
  state: 'failing',
  since: at,
  last_error: { code: 'http_status', error: 'The destination responded with status 500.', at },
  success_rate_24h: 0.944,
};
const unknown: Webhook['health'] = {
  state: 'unknown',
  since: null,
  last_error: null,
  success_rate_24h: null,
};

test('the description of unknown health contains neither a start time nor a success rate', () => {
  expect(describeHealth(failing)).toBe(`failing since ${at}, 94 % succeeded in 24 h`);
  expect(describeHealth(unknown)).toBe('unknown');
});

test('the description of the last error of a webhook contains the error code and the time', () => {
  expect(describeLastError(failing)).toBe(`The destination responded with status 500. (http_status, ${at})`);
  expect(describeLastError(unknown)).toBeNull();
});

test('the list of webhooks shows the last error only of failing and paused webhooks', () => {
  expect(describeTrouble(failing)).toBe('The destination responded with status 500.');
  expect(describeTrouble({ ...failing, state: 'paused' })).toBe('The destination responded with status 500.');
  expect(describeTrouble({ ...failing, state: 'healthy' })).toBe('');
  expect(describeTrouble({ ...unknown, state: 'failing' })).toBe('');
});
