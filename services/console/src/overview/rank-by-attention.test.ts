import type { Webhook } from '@tocsin/client/browser';
import { rankByAttention } from './rank-by-attention.js';

function webhook(name: string, state: Webhook['health']['state'], rate: number | null = null): Webhook {
  const health = { state, since: null, last_error: null, success_rate_24h: rate };
  return { name, health } as unknown as Webhook;
}
const namesOf = (webhooks: Webhook[]) => rankByAttention(webhooks).map(({ name }) => name);

test('paused webhooks rank first, then failing ones, then healthy ones with recent failures', () => {
  const webhooks = [webhook('c', 'healthy', 0.5), webhook('b', 'failing', 0.9), webhook('a', 'paused', 1)];
  expect(namesOf(webhooks)).toEqual(['a', 'b', 'c']);
});

test('webhooks with equal states are ordered by success rate, lowest first', () => {
  expect(namesOf([webhook('a', 'failing', 0.9), webhook('b', 'failing', 0.1)])).toEqual(['b', 'a']);
});

test('unknown webhooks, disabled webhooks and healthy webhooks without failures are not listed', () => {
  expect(namesOf([webhook('a', 'healthy', 1), webhook('b', 'unknown'), webhook('c', 'disabled', 0)])).toEqual(
    [],
  );
});
