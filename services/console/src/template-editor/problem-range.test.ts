import { sampleFacts } from '@tocsin/template/browser';
import { createInspector } from './inspect-template.js';
import { problemRange } from './problem-range.js';

const inspect = createInspector(sampleFacts);

function marked(text: string): string[] {
  return inspect(text).problems.map((problem) => {
    const { from, to } = problemRange(text, problem);
    return `${problem.severity} ${problem.line}: ${text.slice(from, to)}`;
  });
}

test('the name of an unknown filter is marked in its line', () => {
  expect(marked('{\n  "a": {{ metric_value | rnd(2) }}\n}')).toEqual(['error 2: rnd']);
});

test('an unknown name is marked as an error, or as a warning if it is inside a JSON string', () => {
  expect(marked('{"a": {{ metricvalue }},\n "b": 1}')).toEqual(['error 1: metricvalue']);
  expect(marked('{"a": 1,\n "b": "{{ team }}"}')).toEqual(['warning 2: team']);
});

test('invalid JSON is marked at its position in the template', () => {
  expect(marked('{\n  "a": 1,\n}')).toEqual(['error 2: ,']);
  expect(marked('{\n  "a": {{ model_name }}\n}')).toEqual(['error 2: model_name']);
});

test('a problem after the end of a line marks the last character, or nothing in an empty line', () => {
  expect(problemRange('ab\ncd', { line: 1, column: 9 })).toEqual({ from: 1, to: 2 });
  expect(problemRange('', { line: 1, column: 1 })).toEqual({ from: 0, to: 0 });
  expect(problemRange('ab\n\ncd', { line: 2, column: 1 })).toEqual({ from: 3, to: 3 });
  expect(problemRange('ab', { line: 7, column: 1 })).toEqual({ from: 0, to: 2 });
});

test('for every prefix of a template, the marked ranges of its problems are inside the prefix', () => {
  const whole =
    '{"a": "{{ model.name | upper }}",\n{% if bound == "x" %}"b": 1{% else %}"c": 2{% endif %}}\n';
  for (let end = 0; end <= whole.length; end++) {
    const text = whole.slice(0, end);
    for (const problem of inspect(text).problems) {
      const { from, to } = problemRange(text, problem);
      expect(from).toBeLessThanOrEqual(to);
      expect(to).toBeLessThanOrEqual(text.length);
    }
  }
});
