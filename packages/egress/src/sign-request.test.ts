import { addedHeaders, createSigningSecret, signingKeyOf } from './sign-request.js';

// The expected signatures were made with OpenSSL: `openssl dgst -sha256 -mac HMAC -macopt hexkey:… -binary | base64`.
const firstKey = Buffer.alloc(32, 'k');
const secondKey = Buffer.from([0x00, 0xff]);
const firstSignature = 'v1,TmlnNezOkS68Z4L+sLVLaojFajrCvEl+sx/QklJO7ng=';
const secondSignature = 'v1,BcEBJu0EEx8JSjWu/XtJMUGC6HLYPD8QNiz0UCyjkWM=';
const request = { id: 'msg_1', body: '{"a":"é"}', atMs: 1_614_265_330_999 };

test('the signature covers the id of the request, the time in whole seconds and the body', () => {
  expect(addedHeaders({ ...request, keys: [firstKey] })).toEqual([
    'webhook-id',
    'msg_1',
    'webhook-timestamp',
    '1614265330',
    'webhook-signature',
    firstSignature,
  ]);
});

test('each key adds a signature, in the order of the keys', () => {
  expect(addedHeaders({ ...request, keys: [firstKey, secondKey] }).at(-1)).toBe(
    `${firstSignature} ${secondSignature}`,
  );
});

test.each([
  ['id', { id: 'msg_2' }],
  ['time', { atMs: request.atMs + 1 }],
  ['body', { body: '{"a":"e"}' }],
])('a request with another %s has another signature', (_, change) => {
  expect(addedHeaders({ ...request, ...change, keys: [firstKey] }).at(-1)).not.toBe(firstSignature);
});

test('a new signing secret consists of a prefix and a key of 32 random bytes', () => {
  const [one, other] = [createSigningSecret(), createSigningSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(other);
  expect(signingKeyOf(one)).toHaveLength(32);
  expect(signingKeyOf(`whsec_${firstKey.toString('base64')}`)).toEqual(firstKey);
});
