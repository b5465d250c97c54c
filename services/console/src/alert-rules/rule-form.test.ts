import type { AlertRule } from '@tocsin/client/browser';
import {
  changedFields,
  conditionOf,
  emptyRule,
  firingValue,
  fromRuleForm,
  parseNumber,
  toRuleErrors,
  toRuleForm,
} from './rule-form.js';

const rule = {
  name: 'Accuracy',
  model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
  threshold: 0.9,
  bound: 'lower_bound',
  cooldown_seconds: 600,
  external_id: 'risk/accuracy',
} as AlertRule;

test('a rule is converted to a form and back without loss', () => {
  const back = fromRuleForm(toRuleForm(rule));
  expect(back).toEqual({ fields: rule });
  expect(changedFields(rule, 'fields' in back ? back.fields : {})).toEqual({});
  expect(changedFields(rule, { ...rule, threshold: 0.8 })).toEqual({ threshold: 0.8 });
});

test('an empty form has an error for each of the required fields: name, model and threshold', () => {
  expect(fromRuleForm(emptyRule)).toEqual({
    errors: {
      name: expect.any(String),
      modelId: expect.any(String),
      threshold: expect.any(String),
    },
  });
});

test.each([
  ['0.9', 0.9],
  [' -1e3 ', -1000],
  ['.5', 0.5],
])('the threshold text %j is parsed as %d', (text, value) => {
  expect(parseNumber(text)).toBe(value);
});

test.each(['1,000', '', 'Infinity', '1e999', '0x10'])('the threshold text %j is rejected', (text) => {
  expect(parseNumber(text)).toBeUndefined();
});

test('an empty cooldown field means no cooldown, and a fraction of a second is an error', () => {
  const form = { ...toRuleForm(rule), cooldownSeconds: '' };
  expect(fromRuleForm(form)).toEqual({ fields: { ...rule, cooldown_seconds: 0 } });
  expect(fromRuleForm({ ...form, cooldownSeconds: '1.5' })).toMatchObject({
    errors: { cooldownSeconds: expect.any(String) },
  });
});

test('validation errors of the API are assigned to their form fields', () => {
  expect(
    toRuleErrors([
      { path: '/notification_webhook_ids', message: 'unknown webhook x' },
      { path: '/threshold', message: 'must be a number' },
      { path: '/model_id', message: 'must be a UUID' },
      { path: '/enabled', message: 'must be true or false' },
    ]),
  ).toEqual({
    webhooks: 'Unknown webhook x',
    threshold: 'Must be a number',
    modelId: 'Must be a UUID',
    other: '/enabled: must be true or false',
  });
});

test('firingValue returns a value beyond the threshold, or the threshold instead of infinity', () => {
  expect(firingValue({ threshold: 0.9, bound: 'lower_bound' })).toBe(0.81);
  expect(firingValue({ threshold: 0, bound: 'upper_bound' })).toBe(1);
  expect(firingValue({ threshold: 1.7e308, bound: 'upper_bound' })).toBe(1.7e308);
  expect(conditionOf({ threshold: 0.9, bound: 'lower_bound' })).toBe('below 0.9');
});
