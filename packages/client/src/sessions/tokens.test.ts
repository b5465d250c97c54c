import { isFresh, tokensFromResponse } from './tokens.js';

const jwt = (claims: unknown) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('isFresh', () => {
  test.each([
    [300, 269.9, true],
    [300, 270, false],
    [60, 29.9, true],
    [60, 30, false],
    [20, 9.9, true],
    [20, 10, false],
    [300, -0.1, false],
  ])('isFresh of a token with a lifetime of %d s, after %d s, is %s', (lifeSeconds, ageSeconds, fresh) => {
    const tokens = tokensFromResponse({ access_token: 'a', expires_in: lifeSeconds }, 1_000_000);
    expect(isFresh(tokens, 1_000_000 + ageSeconds * 1000)).toBe(fresh);
  });
});

describe('tokensFromResponse', () => {
  test("the lifetime of a token is counted from its receipt, not by the provider's clock", () => {
    const response = { access_token: jwt({ iat: 5_000, exp: 5_090 }) };
    expect(tokensFromResponse(response, 1_000).expiresAtMs).toBe(91_000);
  });

  test.each([
    'opaque',
    'a.b.c',
    jwt(null),
    jwt({ exp: 5 }),
    jwt({ iat: 9, exp: 5 }),
    jwt({ iat: '1', exp: '5' }),
    '',
  ])('the token %j has no expiry, because it contains no valid lifetime', (access_token) => {
    const tokens = tokensFromResponse({ access_token }, 0);
    expect(tokens.expiresAtMs).toBeUndefined();
    expect(isFresh(tokens, Number.MAX_SAFE_INTEGER)).toBe(true);
  });
});
