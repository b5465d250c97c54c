import { createRedactSecrets } from './redact-secrets.js';

const token = 'tök/en+with"all\\of<it>&more=';
const request = {
  url: 'https://host.example/services/T0001/B00000000000000001%2Fx/short?key=0123456789abcdef%20ghi&n=1',
  headers: {
    Authorization: [`Bearer ${token}`],
    'X-Key': ['12345678', '1234567'],
    Cookie: ['session=87654321'],
    'User-Agent': ['agent/0.0.7'],
    'Content-Type': ['application/json; charset=utf-8'],
    ACCEPT: ['application/json'],
  },
};
const redact = createRedactSecrets(request);
const whole = { isCut: false };
const cut = { isCut: true };

test.each<[string, string, string]>([
  ['as written', `Bearer ${token}`, '[redacted]'],
  ['without its scheme', token, '[redacted]'],
  ['in JSON', JSON.stringify({ token }), '{"token":"[redacted]"}'],
  ['in JSON of PHP', JSON.stringify(token).replaceAll('/', '\\/').replaceAll('ö', '\\u00f6'), '"[redacted]"'],
  ['in JSON of .NET', 't\\u00F6k/en\\u002Bwith\\u0022all\\\\of\\u003Cit\\u003E\\u0026more=', '[redacted]'],
  ['in JSON of Python', JSON.stringify(token).replaceAll('ö', '\\u00f6'), '"[redacted]"'],
  [
    'in JSON of Go',
    JSON.stringify(token)
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('&', '\\u0026')
      .replaceAll('ö', '\\u00f6'),
    '"[redacted]"',
  ],
  ['in base64', Buffer.from(token).toString('base64'), '[redacted]'],
  ['in base64 for urls', Buffer.from(token).toString('base64url'), '[redacted]'],
  ['as Latin-1 in base64', Buffer.from(token, 'latin1').toString('base64'), '[redacted]'],
  ['as Latin-1 read as UTF-8', Buffer.from(token, 'latin1').toString(), '[redacted]'],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ token })), '"{\\"token\\":\\"[redacted]\\"}"'],
  ['in a url', `?a=${encodeURIComponent(`Bearer ${token}`)}`, '?a=[redacted]'],
  [
    'in a url with hex digits in lower case',
    encodeURIComponent(token).replaceAll(/%../g, (octet) => octet.toLowerCase()),
    '[redacted]',
  ],
  ['in a whole url', encodeURI(token), '[redacted]'],
  ['in a form', new URLSearchParams({ a: `Bearer ${token}` }).toString(), 'a=[redacted]'],
  ['of another header', 'key 12345678.', 'key [redacted].'],
  ['of a cookie', 'session=87654321', '[redacted]'],
  ['of a header other than Content-Type and Accept', 'agent/0.0.7', '[redacted]'],
  ['of the path, as written', '/B00000000000000001%2Fx/', '/[redacted]/'],
  ['of the path, decoded', 'B00000000000000001/x', '[redacted]'],
  ['of the query, as written', '?key=0123456789abcdef%20ghi&', '?key=[redacted]&'],
  ['of the query, decoded', '0123456789abcdef ghi', '[redacted]'],
])('a secret of the request is redacted from a response: %s', (_, text, shown) => {
  expect(redact(`before ${text} after`, whole)).toBe(`before ${shown} after`);
});

test.each(['Basic', 'bearer', 'BASIC'])(
  "a header's token with the scheme %s is redacted even where it occurs without the scheme",
  (scheme) => {
    const redactToken = (secret: string) =>
      createRedactSecrets({ url: 'http://h/', headers: { A: [`${scheme}  ${secret}`] } })(
        `<${secret}>`,
        whole,
      );
    expect([redactToken('a1b2'), redactToken('a1b')]).toEqual(['<[redacted]>', '<a1b>']);
  },
);

test('a URL part of 16 or more characters is redacted, even with spaces instead of plus signs', () => {
  const redactUrl = createRedactSecrets({
    url: 'http://h/0123456789abcdef/0123456789abcde/?a=fedcba9876+543210&b=fedcba987654321',
    headers: {},
  });
  expect(redactUrl('/0123456789abcdef/ /0123456789abcde/', whole)).toBe('/[redacted]/ /0123456789abcde/');
  expect(redactUrl('fedcba9876+543210, fedcba9876 543210', whole)).toBe('[redacted], [redacted]');
  expect(redactUrl('fedcba987654321', whole)).toBe('fedcba987654321');
});

test.each(['', 'a', 'ab'])('a secret is redacted in base64, even if the text starts with %j', (prefix) => {
  const shown = redact(Buffer.from(`${prefix}Bearer ${token}, and more`).toString('base64'), whole);
  const [before = '', after = ''] = shown.split('[redacted]');
  // The base64 characters at both ends of the secret also depend on the bytes before and after the secret. They are
  // therefore not redacted.
  expect([before.length <= 4, after.length <= 16]).toEqual([true, true]);
});

test('a secret within base64-encoded JSON is redacted', () => {
  const shown = redact(Buffer.from(JSON.stringify({ authorization: token })).toString('base64'), whole);
  const [before = '', after = ''] = shown.split('[redacted]');
  expect([before.length <= 28, after.length <= 8]).toEqual([true, true]);
});

test.each(['1234567', 'application/json; charset=utf-8', 'application/json', 'T0001', 'services', 'short'])(
  'the text %s is not redacted, because it is short or a content type',
  (text) => {
    expect(redact(text, whole)).toBe(text);
  },
);

test('the beginning of a secret is redacted at the end of a cut text', () => {
  for (let length = 1; length < token.length; length += 1) {
    const text = `x${' '.repeat(99)}Authorization: Bearer ${token.slice(0, length)}`;
    expect(redact(text, cut)).toBe(`x${' '.repeat(99)}Authorization: [redacted]`);
  }
  expect(redact('12345678 and 1234567', cut)).toBe('[redacted] and [redacted]');
  expect(redact('12345678 and 1234567', whole)).toBe('[redacted] and 1234567');
  expect(redact('ends with a secret 12345678', cut)).toBe('ends with a secret [redacted]');
  expect(redact('nothing here', cut)).toBe('nothing here');
});

test('two secrets that overlap in a response are both redacted', () => {
  const both = createRedactSecrets({
    url: 'http://h/',
    headers: { A: ['abcdefghijkl'], B: ['ijklmnopqrst'] },
  });
  expect(both('=abcdefghijkl', cut)).toBe('=[redacted]');
  expect(both('=abcdefghijklmnop', cut)).toBe('=[redacted][redacted]');
});

test('a long secret is redacted completely, even if the text ends within the secret', () => {
  const long = Array.from({ length: 500 }, (_, index) => index.toString(36)).join('.');
  const redactLong = createRedactSecrets({ url: 'http://h/', headers: { A: [long] } });
  expect(redactLong(`<${long}>`, whole)).toBe('<[redacted]>');
  for (const length of [10, 63, 64, 65, 640, 1_000])
    expect(redactLong(`<${long.slice(0, length)}`, cut)).toMatch(/^<(\[redacted\])+$/);
});

test('a secret that repeats itself is redacted at the end of a cut text', () => {
  const repeating = createRedactSecrets({
    url: 'http://h/',
    headers: { A: [`${'ab'.repeat(100)}c${'ab'.repeat(100)}d`] },
  });
  for (const part of ['ab', `${'ab'.repeat(100)}c`, `${'ab'.repeat(100)}c${'ab'.repeat(99)}`])
    expect(repeating(`<${'ab'.repeat(50)}x${part}`, cut)).toMatch(/^<\[redacted\]x\[redacted\]$/);
});

test.each([
  ['two Chinese characters', '\u4e65\u4e72', 'server error'],
  ['spaces', ' '.repeat(6), 'a      b'],
  ['ten Chinese characters', '\u4e65\u4e72'.repeat(5), 'erererererererererer'],
])('a URL part of %s redacts no ordinary text', (_, part, text) => {
  const encoded = encodeURIComponent(part);
  const redactPart = createRedactSecrets({ url: `http://h/${encoded}`, headers: {} });
  expect(redactPart(text, whole)).toBe(text);
  expect(redactPart(`/${encoded}.`, whole)).toBe('/[redacted].');
});

test('the text of a response is unchanged if the request has no secrets', () => {
  const none = createRedactSecrets({ url: 'https://host.example/', headers: { A: ['1'] } });
  expect(none('text', whole)).toBe('text');
  expect(none('text', cut)).toBe('text');
});

test('a whole response is replaced if the request has too many secrets to search for', () => {
  const values = Array.from({ length: 200 }, (_, index) => `a secret ${index}`);
  const many = createRedactSecrets({ url: 'http://h/', headers: { A: values } });
  expect([many('a secret 1', whole), many('', whole)]).toEqual(['[redacted]', '']);
  const allowed = createRedactSecrets({ url: 'http://h/', headers: { A: values.slice(0, 50) } });
  expect(allowed('x a secret 7.', whole)).toBe('x [redacted].');
});

test('a response that is slow to search for secrets is searched in less than 1 s', () => {
  const values = [
    `${'a'.repeat(8_000)}b"<&`,
    ...Array.from({ length: 60 }, (_, n) => `${'a'.repeat(60)}${n}`),
  ];
  const hostile = createRedactSecrets({ url: 'http://h/', headers: { A: values } });
  const startedAtMs = performance.now();
  expect(hostile('a'.repeat(65_536), cut)).toContain('[redacted]');
  expect(hostile(`${'a'.repeat(65_535)}!`, cut)).toContain('[redacted]');
  expect(hostile(`${'a'.repeat(60)} `.repeat(1_000), cut)).not.toContain('[redacted]');
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});

test('100 cut responses are searched for a secret with long encodings in less than 1 s', () => {
  const secret = Array.from({ length: 8_000 }, (_, index) => String.fromCharCode(0xa1 + (index % 90))).join(
    '',
  );
  const redactLong = createRedactSecrets({ url: 'http://h/', headers: { A: [secret] } });
  const text = 'ordinary '.repeat(7_000);
  redactLong(text, cut);
  const startedAtMs = performance.now();
  for (let count = 0; count < 100; count += 1) expect(redactLong(text, cut)).toBe(text);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});
