import {
  attemptLocation,
  renderedLocation,
  signingSecretLocation,
  webhookLocation,
} from './secret-locations.js';

test('the locations of encrypted values do not change, because stored values are bound to them', () => {
  const row = { workspaceId: 'w', id: '1' };
  const claim = { workspaceId: 'w', deliveryId: '1', claim: 2 };
  const textOf = ({ table, id, column }: ReturnType<typeof attemptLocation>) => `${table}/${id}/${column}`;
  expect(textOf(attemptLocation(claim))).toBe('attempts/1/2/exchange');
  expect(textOf(renderedLocation(row))).toBe('deliveries/1/rendered');
  expect(textOf(webhookLocation(row, 'url'))).toBe('webhooks/1/url');
  expect(textOf(signingSecretLocation(row))).toBe('webhook_signing_secrets/1/secret');
});
