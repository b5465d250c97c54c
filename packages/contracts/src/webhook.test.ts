import type { JSONSchema } from 'json-schema-to-ts';
import { createAlertRuleSchema } from './alert-rule.js';
import { createCheck } from './check.js';
import { createSigningSecretSchema } from './signing-secret.js';
import { createWebhookSchema } from './webhook.js';

const webhook = { name: 'w', url: 'https://a.example/', body: '' };
const rule = {
  name: 'r',
  model_id: '3f0c1f9e-6f0a-4c1e-9a53-2f6d5f1f7a10',
  threshold: 0,
  bound: 'upper_bound',
};
const limitOf = (requests: number, period_ms: number) => ({ rate_limit: { requests, period_ms } });
const headersOf = (count: number) => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, ['']])),
});

/** Valid values at the limits of a schema's fields, and invalid values just beyond these limits. */
const edges: [schema: JSONSchema, base: object, valid: object[], invalid: object[]][] = [
  [
    createWebhookSchema,
    webhook,
    [
      { name: 'x' },
      { name: 'x'.repeat(255) },
      { url: `https://a.example/${'x'.repeat(2_030)}` },
      headersOf(50),
    ],
    [
      { name: '' },
      { name: 'x'.repeat(256) },
      { url: `https://a.example/${'x'.repeat(2_031)}` },
      headersOf(51),
    ],
  ],
  [
    createWebhookSchema,
    webhook,
    [
      { retry_schedule_ms: [] },
      { retry_schedule_ms: Array(10).fill(1_000) },
      { retry_schedule_ms: [43_200_000] },
    ],
    [
      { retry_schedule_ms: Array(11).fill(1_000) },
      { retry_schedule_ms: [999] },
      { retry_schedule_ms: [43_200_001] },
    ],
  ],
  [
    createWebhookSchema,
    webhook,
    [{ timeout_ms: 1_000 }, { timeout_ms: 20_000 }, limitOf(1, 1_000), limitOf(1_000, 3_600_000)],
    [
      { timeout_ms: 999 },
      { timeout_ms: 20_001 },
      limitOf(0, 1_000),
      limitOf(1_001, 1_000),
      limitOf(1, 999),
      limitOf(1, 3_600_001),
    ],
  ],
  [
    createAlertRuleSchema,
    rule,
    [
      { name: 'x'.repeat(255) },
      { cooldown_seconds: 0 },
      { cooldown_seconds: 86_400 },
      { external_id: 'x'.repeat(255) },
    ],
    [
      { name: '' },
      { name: 'x'.repeat(256) },
      { cooldown_seconds: -1 },
      { cooldown_seconds: 86_401 },
      { external_id: '' },
    ],
  ],
  [
    createSigningSecretSchema,
    {},
    [{ expire_others_after_seconds: 0 }, { expire_others_after_seconds: 2_592_000 }],
    [{ expire_others_after_seconds: -1 }, { expire_others_after_seconds: 2_592_001 }],
  ],
];

test.each(edges)(
  'values at the limits of a schema are valid, and values beyond the limits are not (case %#)',
  (schema, base, valid, invalid) => {
    const check = createCheck(schema);
    const isValid = (change: object) => check({ ...base, ...change }).ok;
    expect([valid, valid.map(isValid)]).toEqual([valid, valid.map(() => true)]);
    expect([invalid, invalid.map(isValid)]).toEqual([invalid, invalid.map(() => false)]);
  },
);
