import type { AlertFacts } from './alert-context.js';

/**
 * The sample alert that the preview and `POST /webhooks/{id}/test` render by default. `fired_at` has the same format as
 * in a delivery: UTC with a `Z`, and fractions of a second as the monitor sent them.
 */
export const sampleFacts: AlertFacts = {
  alert_rule_name: 'Accuracy below target',
  alert_rule_id: '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50',
  model_name: 'Loan approval v2',
  model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
  metric_value: 0.8734567,
  threshold: 0.9,
  bound: 'lower_bound',
  alert_id: '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33',
  fired_at: '2025-03-14T09:26:53.589793Z',
  workspace_id: '5e0b9a77-6a2d-4f0f-b1c3-d2e4f6a8b0c1',
  state: 'firing',
  labels: { team: 'risk', environment: 'production' },
  annotations: {
    summary: 'Accuracy fell within an hour.',
    link: 'https://monitor.example.com/runs/42',
  },
  is_test: false,
};

const none = {};

/**
 * A body is accepted only if it renders to JSON for each of these alerts. Together, the alerts contain both values of
 * `bound` (`upper_bound`, `lower_bound`), of `state` and of `is_test`; quotes, backslashes, line ends, U+2028 and
 * emoji; tiny, huge, whole and negative-zero numbers; empty names; times in microseconds and in whole seconds; labels
 * and annotations, or none.
 */
export const sampleAlerts: readonly AlertFacts[] = [
  sampleFacts,
  {
    ...sampleFacts,
    bound: 'upper_bound',
    metric_value: 5,
    threshold: 0,
    fired_at: '2025-03-14T09:26:53Z',
    state: 'resolved',
    labels: none,
    annotations: none,
  },
  {
    ...sampleFacts,
    alert_rule_name: 'He said "no" \\ yes\r\n\tand \u2028 \u0007 </script> {{ x }} {% y %}',
    model_name: "Modèle «été» 🚀 日本語 'quoted' & <b>",
    metric_value: 1e-7,
    threshold: 1e22,
    labels: { team: 'Équipe "A" \\ B\n\u2028🚀', _: '' },
    annotations: { summary: '"\\\r\n{{ x }}', link: 'https://example.com/?a="&b=<c>', '': '"' },
    is_test: true,
  },
  {
    ...sampleFacts,
    alert_rule_name: '"',
    model_name: '\\',
    metric_value: -0,
    threshold: -1.5e300,
    bound: 'upper_bound',
    labels: none,
    annotations: none,
  },
  {
    ...sampleFacts,
    alert_rule_name: '',
    model_name: '',
    metric_value: -123456.789,
    threshold: 100,
    labels: none,
    annotations: none,
  },
];
