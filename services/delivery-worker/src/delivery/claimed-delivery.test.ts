import { maxClaimsWithoutOutcome, needsQuarantine } from './claimed-delivery.js';

test('a delivery is sent in quarantine if its last three claims ended without an outcome', () => {
  expect([1, 3, 4, 8].map((claimsWithoutOutcome) => needsQuarantine({ claimsWithoutOutcome }))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(maxClaimsWithoutOutcome).toBe(8);
});
