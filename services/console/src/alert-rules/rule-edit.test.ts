import type { AlertRule, Tagged } from '@tocsin/client/browser';
import { mergeForms, moveEdit, startEdit } from './rule-edit.js';

const rule = {
  name: 'Accuracy',
  model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
  threshold: 0.9,
  bound: 'lower_bound',
  cooldown_seconds: 600,
  external_id: null,
  etag: '"1"',
} as Tagged<AlertRule>;

const first = startEdit(rule);
const edit = { base: rule, form: { ...first.form, threshold: '0.77' } };

test('a new version changes the fields that the user has not edited', () => {
  const other = { ...rule, name: 'Accuracy of churn', cooldown_seconds: 7, etag: '"2"' };
  expect(moveEdit(first, other)).toEqual(startEdit(other));
  expect(moveEdit(edit, other)).toEqual({
    base: other,
    form: { ...startEdit(other).form, threshold: '0.77' },
  });
});

test('a new version with another value of an edited field leaves the edit at its version', () => {
  expect(moveEdit(edit, { ...rule, threshold: 0.5, cooldown_seconds: 7, etag: '"2"' })).toBe(edit);
  const same = { ...rule, threshold: 0.77, etag: '"2"' };
  expect(moveEdit(edit, same)).toEqual(startEdit(same));
});

test('fields that are edited while the form is saved keep their text', () => {
  const sent = { ...first.form, name: ' Drift ', threshold: '0.770' };
  const saved = { ...first.form, name: 'Drift', threshold: '0.77' };
  expect(mergeForms(sent, { before: sent, after: saved })).toEqual(saved);
  expect(mergeForms({ ...sent, name: 'Drift of churn' }, { before: sent, after: saved })).toEqual({
    ...saved,
    name: 'Drift of churn',
  });
});
