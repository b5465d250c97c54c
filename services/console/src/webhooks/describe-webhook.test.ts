import type { Webhook } from '@tocsin/client/browser';
import { describeWebhook, formatRate, hostOf } from './describe-webhook.js';

const since = '2026-01-01T00:00:00Z';
const until = '2026-01-01T00:05:00Z';
const webhookWith = (fields: object) =>
  ({
    paused: null,
    health: { state: 'healthy', since, last_error: null, success_rate_24h: 1 },
    ...fields,
  }) as Webhook;
const health = (state: string, error: string | null = null) => ({
  state,
  since,
  last_error: error === null ? null : { code: 'http_status', error, at: since },
  success_rate_24h: null,
});

test('the reason shown for a failing webhook is its last error', () => {
  expect(describeWebhook(webhookWith({ health: health('failing', 'The status was 500.') }))).toEqual({
    label: 'Failing',
    tone: 'bad',
    reason: 'The status was 500.',
    until: null,
    since,
  });
});

test('a paused webhook is described with the reason and the end of the pause', () => {
  const paused = { reason: 'circuit', since, until, error: 'Nothing listens on this port.' };
  expect(describeWebhook(webhookWith({ health: health('paused'), paused }))).toMatchObject({
    label: 'Paused',
    reason: expect.stringMatching(/in a row failed\. Nothing listens on this port\./),
    until,
  });
  expect(
    describeWebhook(webhookWith({ health: health('paused'), paused: { ...paused, reason: 'retry_after' } }))
      .reason,
  ).toContain('asked for a pause');
});

test('the text for a disabled webhook contains the reason if Tocsin has disabled the webhook', () => {
  const disabled = { health: health('disabled'), disabled_reason: 'It failed for a day.' };
  expect(describeWebhook(webhookWith(disabled)).reason).toBe('It failed for a day.');
  expect(describeWebhook(webhookWith({ health: health('disabled') })).reason).toContain('skipped');
});

test('healthy, disabled, unknown and undecryptable webhooks have different labels', () => {
  const labels = ['healthy', 'disabled', 'unknown'].map(
    (state) => describeWebhook(webhookWith({ health: health(state) })).label,
  );
  expect(labels).toEqual(['Healthy', 'Disabled', 'Idle']);
  expect(describeWebhook(webhookWith({ undecryptable: true })).label).toBe('Cannot be decrypted');
});

test('a success rate is shown as 100 % only without failures, and as 0 % only without successes', () => {
  expect([null, 0, 0.001, 0.5, 0.994, 0.9999, 1].map(formatRate)).toEqual([
    '–',
    '0 %',
    '< 1 %',
    '50 %',
    '99.4 %',
    '99.9 %',
    '100 %',
  ]);
});

test('hostOf shortens a URL to its scheme and host, and returns any other text unchanged', () => {
  expect(hostOf('https://chat.example.com/hooks/secret')).toBe('https://chat.example.com');
  expect(hostOf('no address')).toBe('no address');
});
