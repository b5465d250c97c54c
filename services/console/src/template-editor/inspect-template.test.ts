import { sampleFacts } from '@tocsin/template/browser';
import { createInspector } from './inspect-template.js';

const inspect = createInspector(sampleFacts);

test('a template without problems is rendered with the given values', () => {
  const facts = { ...sampleFacts, model_name: 'Fraud "v3"', metric_value: 5 };
  const source = '{"text": "{{ model_name }}", "value": {{ metric_value }}}';
  expect(createInspector(facts)(source)).toEqual({
    problems: [],
    output: '{"text": "Fraud \\"v3\\"", "value": 5.0}',
    fault: undefined,
  });
});

test('if the output is not JSON, the first invalid position is reported', () => {
  const { problems, output, fault } = inspect('{"a": 1\n "b": 2}');
  expect(problems).toMatchObject([{ severity: 'error', line: 2 }]);
  expect(output).toBe('{"a": 1\n "b": 2}');
  expect(fault).toMatchObject({ line: 2, column: 2 });
});

test('a template that does not compile has no output', () => {
  const { problems, output } = inspect('{{ model_name');
  expect(problems).toMatchObject([{ severity: 'error', line: 1 }]);
  expect(output).toBeNull();
});

test('an error that occurs with the given values but not with the sample values is reported', () => {
  const source = '{"a": {{ {"Churn": "no"}[model_name] | default(1) | safe }}}';
  expect(inspect(source).problems).toEqual([]);
  const churn = createInspector({ ...sampleFacts, model_name: 'Churn' });
  expect(churn(source).problems).toMatchObject([{ severity: 'error', line: 1 }]);
});

test('a template above 64 KiB is rejected with an error that states its size and the limit', () => {
  const { problems } = inspect(`"${'ä'.repeat(32_768)}"`);
  expect(problems).toEqual([
    {
      severity: 'error',
      line: 1,
      column: 1,
      message: 'The template has 65538 bytes; at most 65536 are allowed.',
    },
  ]);
});
