import type { Json } from '@tocsin/template';

/** The variables that generated templates use. */
export const sampleValues: Readonly<Record<string, Json>> = {
  alert_rule_name: 'Accuracy "below" target',
  model_name: "Loan Approval's v2",
  metric_value: 0.8734567,
  threshold: 2.0,
  bound: 'lower_bound',
  fired_at: '2025-03-14T09:26:53Z',
  n: 3,
  i: -1,
  f: -2.5,
  big: 9007199254740991,
  s: 'hello World',
  u: 'Straße ñ 😀 ǆ',
  e: '',
  h: '<b class="x">Tom & Jerry</b> see http://example.com/a?b=1, me@ex.com',
  ml: 'line one\nline two\n\n  line four  ',
  t: true,
  none_v: null,
  lst: [3, 1, 2],
  floats: [0.5, 2.0, -1.25],
  words: ['pear', 'Apple', 'fig', 'apple'],
  mixed: [1, 'a', 2.5, null, true, [1, 2]],
  d: { b: 2, a: 1, c: null },
  users: [
    { name: 'Ann', age: 30, on: true, tags: ['x', 'y'] },
    { name: 'bob', age: 25, on: false, tags: [] },
    { name: 'Cyd', age: 30, on: true, tags: ['y'] },
  ],
  nested: [{ k: [1, 2.5] }, { k: 'v' }],
  empty: [],
  empty_d: {},
};

/** JSON pointers of the values that are floats in Python. JSON does not distinguish them from integers. */
export const sampleTypes: Readonly<Record<string, string>> = { '/threshold': 'float', '/floats/1': 'float' };
