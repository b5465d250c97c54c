import { AppError, Secret } from '@tocsin/kit';
import { formatRawKey } from '../api-keys/raw-key.js';
import { createAuthenticate } from './authenticate.js';

const key = { id: '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d', secret: 'x'.repeat(43) };

/** Checks take 30 ms of a fake clock. */
function setUp({ validateKey }: { validateKey: () => Promise<boolean> }) {
  let nowMs = 1_000;
  const authenticate = createAuthenticate({
    adminKey: new Secret('the admin key'),
    validateKey: () => {
      nowMs += 30;
      return validateKey();
    },
    verifyToken: () => {
      nowMs += 30;
      return Promise.reject(new AppError('unauthenticated', 'The access token has expired.'));
    },
    wait: async (ms) => {
      nowMs += ms;
    },
    now: () => nowMs,
  });
  return async (credential: string) => {
    const startedAtMs = nowMs;
    const error = await authenticate({ authorization: `Bearer ${credential}` }).catch((thrown) => thrown);
    return [error.code ?? error.kind, nowMs - startedAtMs];
  };
}

test.each([
  ['a malformed key', 'not a key'],
  ['a wrong key', formatRawKey(key)],
  ['an invalid token', 'a.b.c'],
])('%s is refused 200 ms after its check began', async (_, credential) => {
  const check = setUp({ validateKey: async () => false });
  expect(await check(credential)).toEqual(['unauthenticated', 200]);
});

test('a valid key and an unavailable check are answered at once', async () => {
  const valid = setUp({ validateKey: async () => true });
  expect(await valid(formatRawKey(key))).toEqual(['user_key', 30]);
  expect(await valid('the admin key')).toEqual(['admin_key', 0]);
  const busy = setUp({ validateKey: () => Promise.reject(new AppError('unavailable', 'Too many.')) });
  expect(await busy(formatRawKey(key))).toEqual(['unavailable', 30]);
});
