import { completionPlace, ownNames } from './completion-context.js';

/**
 * Removes the character `^` from a text. Returns the result of `completionPlace` for the offset at which this character
 * was.
 */
function at(text: string) {
  const offset = text.indexOf('^');
  return completionPlace(text.replace('^', ''), offset);
}

test.each([
  ['{"a": {{ metr^', { kind: 'variable', from: 9 }],
  ['{"a": {{ ^ }}', { kind: 'variable', from: 9 }],
  ['{{ "x" ~ mo^', { kind: 'variable', from: 9 }],
  ['{{ a | ro^', { kind: 'filter', from: 7 }],
  ['{{ a|^', { kind: 'filter', from: 5 }],
  ['{% filter up^', { kind: 'filter', from: 10 }],
  ['{{ model.^ }}', { kind: 'member', from: 9, object: 'model' }],
  ['{{ alert_rule.na^', { kind: 'member', from: 14, object: 'alert_rule' }],
  ['{% if bound is de^', { kind: 'test', from: 15 }],
  ['{% if bound is not de^', { kind: 'test', from: 19 }],
  ['{%- se^', { kind: 'tag', from: 4 }],
  ['{% if mod^', { kind: 'variable', from: 6 }],
  ['{"model": "mod^', { kind: 'text', from: 11 }],
  ['{{ a }} mod^', { kind: 'text', from: 8 }],
])('at the cursor (^) in %j, the place of the completion is %j', (text, place) => {
  expect(at(text)).toEqual(place);
});

test.each(["{{ 'mod^' }}", '{{ "a\\"mod^', '{# mod^ #}', '{{ 12^', '{{ f(1).na^'])(
  'the editor completes no name at the cursor (^) in %j',
  (text) => {
    expect(at(text)).toBeNull();
  },
);

test('ownNames finds the names that a template defines with set, for, macro and with', () => {
  const source =
    '{% set off, by = 1, 2 %}{%- for key, value in alert.items() %}{% macro fact(title) %}{% with x = 1 %}';
  expect(ownNames(source)).toEqual(['off', 'by', 'x', 'key', 'value', 'fact']);
});

test('the names in a long template are found in less than two seconds', () => {
  const started = performance.now();
  ownNames(`{% set ${'a,'.repeat(30_000)}`);
  ownNames('for '.repeat(16_000));
  expect(performance.now() - started).toBeLessThan(2_000);
});
