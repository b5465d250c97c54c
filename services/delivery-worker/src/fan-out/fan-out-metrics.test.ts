import { createMetrics } from '@tocsin/kit';
import { createFanOutMetrics } from './fan-out-metrics.js';

test('the fan-out metrics count alerts by outcome, their webhooks, and exceeded limits by kind', async () => {
  const registry = createMetrics({ service: 'test' });
  const { alertFannedOut, webhookOverQuota } = createFanOutMetrics(registry);
  const values = async () => {
    const { text } = await registry.expose();
    const read = (series: RegExp) => Number(series.exec(text)?.[1]);
    return [
      read(/^tocsin_alerts_total\{.*outcome="over_quota".*\} (.*)$/m),
      read(/^tocsin_fan_out_webhooks_sum\{.*\} (.*)$/m),
      read(/^tocsin_over_quota_total\{.*limit="workspace".*\} (.*)$/m),
      read(/^tocsin_over_quota_total\{.*limit="webhook".*\} (.*)$/m),
    ];
  };
  expect(await values()).toEqual([Number.NaN, 0, 0, 0]);
  alertFannedOut({ outcome: 'dispatched', webhooks: 3 });
  alertFannedOut({ outcome: 'over_quota', webhooks: 0 });
  for (let count = 0; count < 2; count += 1) webhookOverQuota();
  expect(await values()).toEqual([1, 3, 1, 2]);
});
