import { isFresh, tokensFromResponse } from './tokens.js';

const jwt = (claims: unknown) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('the renewal of a token', () => {
  test.each([
    [300, 269.9, true],
    [300, 270, false],
    [60, 29.9, true],
    [60, 30, false],
    [20, 9.9, true],
    [20, 10, false],
    [300, -0.1, false],
  ])('a token of %d s is still fresh %d s after its request: %s', (lifeSeconds, ageSeconds, fresh) => {
    const tokens = tokensFromResponse({ access_token: 'a', expires_in: lifeSeconds }, 1_000_000);
    expect(isFresh(tokens, 1_000_000 + ageSeconds * 1000)).toBe(fresh);
  });
});

describe('the lifetime of a token', () => {
  test("the lifetime does not depend on the provider's clock", () => {
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
  ])('the lifetime of %j is unknown, so the token is used until a 401', (access_token) => {
    const tokens = tokensFromResponse({ access_token }, 0);
    expect(tokens.expiresAtMs).toBeUndefined();
    expect(isFresh(tokens, Number.MAX_SAFE_INTEGER)).toBe(true);
  });
});
