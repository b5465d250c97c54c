import { type AlertFired, maxAlertBytes } from '@tocsin/contracts';
import { namedWorkspace, parseMessage } from './parse-message.js';

const accept = (value: unknown) => ({ ok: true, value: value as AlertFired }) as const;
const reject = (errors: { path: string; message: string }[]) => () => ({ ok: false, errors }) as const;
const parse = (content: string | Buffer, check: Parameters<typeof parseMessage>[1] = accept) =>
  parseMessage(Buffer.from(content), check);
const detailOf = (parsed: ReturnType<typeof parseMessage>) => ('detail' in parsed ? parsed.detail : '');

test('an alert is parsed, even with a byte order mark', () => {
  expect(parse('{"alert_id":"é"}')).toEqual({ kind: 'alert', alert: { alert_id: 'é' } });
  expect(parse('\ufeff{"alert_id":1}')).toEqual({ kind: 'alert', alert: { alert_id: 1 } });
});

test('a message of the maximum size is parsed, and one that is a byte longer is not', () => {
  expect(parse('1'.padEnd(maxAlertBytes)).kind).toBe('alert');
  expect(parse('1'.padEnd(maxAlertBytes + 1))).toEqual({
    kind: 'unprocessable',
    reason: 'invalid_message',
    detail: `The message has ${maxAlertBytes + 1} bytes, an alert has at most ${maxAlertBytes}. It was not parsed, and only its beginning is stored.`,
  });
});

test('a message that is not JSON or not UTF-8 is malformed', () => {
  expect(parse('{')).toMatchObject({ kind: 'unprocessable', reason: 'malformed_message' });
  expect(detailOf(parse('{'))).toMatch(/^The message is not JSON: .*JSON/);
  expect(parse(Buffer.from([0x22, 0xff, 0x22]))).toEqual({
    kind: 'unprocessable',
    reason: 'malformed_message',
    detail: 'The message is not JSON: it is not UTF-8',
  });
});

test('the detail of an invalid alert lists all of its errors', () => {
  const errors = [
    { path: '', message: 'must be an object' },
    { path: 'alert_id', message: 'must be a UUID' },
  ];
  expect(parse('1', reject(errors))).toEqual({
    kind: 'unprocessable',
    reason: 'invalid_message',
    detail: 'The message must be an object; alert_id must be a UUID',
  });
});

test('the detail of a dead letter is cut after 2,000 characters and then ends with an ellipsis', () => {
  const errorOf = (length: number) => [{ path: 'a', message: 'x'.repeat(length - 2) }];
  expect(detailOf(parse('1', reject(errorOf(2_000))))).toBe(`a ${'x'.repeat(1_998)}`);
  expect(detailOf(parse('1', reject(errorOf(2_001))))).toBe(`a ${'x'.repeat(1_998)}…`);
});

test('all errors of a message up to 65,536 bytes are listed, and only the first of a larger one', () => {
  const listed: unknown[] = [];
  const record = (value: unknown, options: unknown) => {
    listed.push(options);
    return accept(value);
  };
  for (const bytes of [65_536, 65_537]) parse('1'.padEnd(bytes), record);
  expect(listed).toEqual([{ listAll: true }, { listAll: false }]);
});

const workspace = '11111111-1111-4111-8111-1111111111ab';

test.each([
  ['a compact alert', JSON.stringify({ alert_id: 'a', workspace_id: workspace, labels: {} }), workspace],
  ['an alert with spaces', `{ "workspace_id" : "${workspace}" }`, workspace],
  ['an id in upper case', JSON.stringify({ workspace_id: workspace.toUpperCase() }), workspace],
  [
    'a text that quotes the name',
    JSON.stringify({ model_name: '"workspace_id"', workspace_id: workspace }),
    workspace,
  ],
  [
    'an alert with a label of that name',
    JSON.stringify({ workspace_id: workspace, labels: { workspace_id: 'x' } }),
    workspace,
  ],
  ['a message without workspace', '{}', ''],
  ['an empty message', '', ''],
  ['a message that ends after the name', '{"workspace_id"', '{"workspace_id"'],
])('the round-robin key of %s is found without parsing the message', (_name, content, expected) => {
  expect(namedWorkspace(Buffer.from(content))).toBe(expected);
});
