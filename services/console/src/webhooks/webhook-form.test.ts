import type { Webhook } from '@tocsin/client/browser';
import { emptyForm, toCreate, toFieldErrors, toForm, toPatch } from './webhook-form.js';

const defaults = {
  external_id: null,
  idempotency_header: null,
  rate_limit: null,
  retry_schedule_ms: null,
  timeout_ms: null,
};
const fields: Partial<Webhook> = {
  name: 'Chat',
  url: 'https://chat.example.com/hooks/1',
  headers: { 'X-Key': ['secret'] },
  body: '{\r\n"a": 1\r}',
  enabled: true,
  retry_on_timeout: false,
  ...defaults,
};
const webhook = fields as Webhook;

test('an unchanged form leads to an empty change request, even if line endings were converted', () => {
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

test('a new webhook is enabled and has the header Content-Type: application/json', () => {
  expect(toCreate({ ...emptyForm, name: ' Chat ', url: 'https://a.example ', body: '{}' })).toEqual({
    name: 'Chat',
    url: 'https://a.example',
    headers: { 'Content-Type': ['application/json'] },
    body: '{}',
    enabled: true,
    retry_on_timeout: true,
    ...defaults,
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
