import type { Webhook } from '@tocsin/client/browser';
import { emptyForm, toCreate, toFieldErrors, toForm, toPatch } from './webhook-form.js';

const webhook: Webhook = {
  id: '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33',
  workspace_id: '5e0b9a77-6a2d-4f0f-b1c3-d2e4f6a8b0c1',
  name: 'Chat',
  external_id: null,
  url: 'https://chat.example.com/hooks/1',
  headers: { 'X-Key': ['secret'] },
  body: '{\r\n"a": 1\r}',
  enabled: true,
  retry_on_timeout: false,
  retry_schedule_ms: null,
  timeout_ms: null,
  rate_limit: null,
  signing: false,
  idempotency_header: null,
  paused_until: null,
  disabled_reason: null,
  paused: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  last_updated_by: 'someone',
  health: { state: 'unknown', since: null, last_error: null, success_rate_24h: null },
};

test('an unchanged form sends no field, even if the stored body has other line endings', () => {
  expect(toForm(webhook).body).toBe('{\n"a": 1\n}');
  expect(toPatch(toForm(webhook), toForm(webhook))).toEqual({});
});

test('a change request contains only the changed fields', () => {
  const loaded = toForm(webhook);
  expect(toPatch({ ...loaded, url: 'https://chat.example.com/hooks/2 ' }, loaded)).toEqual({
    url: 'https://chat.example.com/hooks/2',
  });
  expect(toPatch({ ...loaded, headers: [], retryOnTimeout: true }, loaded)).toEqual({
    headers: {},
    retry_on_timeout: true,
  });
});

test('a new webhook is enabled and has the header Content-Type', () => {
  expect(toCreate({ ...emptyForm, name: ' Chat ', url: 'https://a.example ', body: '{}' })).toEqual({
    name: 'Chat',
    url: 'https://a.example',
    headers: { 'Content-Type': ['application/json'] },
    body: '{}',
    enabled: true,
    retry_on_timeout: true,
    timeout_ms: null,
    retry_schedule_ms: null,
    rate_limit: null,
    idempotency_header: null,
    external_id: null,
  });
});

test('validation errors of the API are assigned to their form fields', () => {
  const errors = toFieldErrors([
    { path: '/url', message: 'must be absolute' },
    { path: '/headers/X~1Key/0', message: 'must be text' },
    { path: '/headers', message: 'at most 50 names' },
    { path: '/body', message: 'line 1, column 2: no' },
    { path: '/body', message: 'line 2, column 2: no' },
    { path: '', message: 'must be an object' },
    { path: '/enabled', message: 'must be true or false' },
    { path: '/rate_limit/period_ms', message: 'must be >= 1000' },
  ]);
  expect(errors).toEqual({
    url: 'Must be absolute',
    headers: 'At most 50 names',
    body: 'Line 1, column 2: no. line 2, column 2: no',
    headerNames: new Map([['x/key', 'must be text']]),
    options: { ratePeriodSeconds: 'Must be >= 1000' },
    other: ['must be an object', '/enabled: must be true or false'],
  });
});
