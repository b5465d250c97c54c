import type { Alert } from '@tocsin/client/browser';
import { sampleFacts } from '@tocsin/template/browser';
import { factsOfAlert, fromTexts, toTexts } from './sample-values.js';

test('sample values are converted to text and back without loss', () => {
  expect(fromTexts(toTexts(sampleFacts))).toEqual({ facts: sampleFacts, errors: new Map() });
});

test('a number field with text that is not a number has an error, and its sample value is used', () => {
  const { facts, errors } = fromTexts({ ...toTexts(sampleFacts), metric_value: '0,4', model_name: '5' });
  expect(facts).toMatchObject({ metric_value: sampleFacts.metric_value, model_name: '5' });
  expect([...errors.keys()]).toEqual(['metric_value']);
});

test('the facts of a past alert replace the sample values, and its other members are ignored', () => {
  const alert = { ...sampleFacts, model_name: 'Churn', outcome: 'dispatched' } as unknown as Alert;
  expect(factsOfAlert(alert)).toEqual({ ...sampleFacts, model_name: 'Churn' });
});
