import type { SendFailure } from './send-failure.js';
import { createStatusLineGuard } from './status-line-guard.js';

const head = 'HTTP/1.1 100 Continue\r\nX-Note: a\r\n\r\n';
const response = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/**
 * Returns the text that reaches the parser when `chunks` arrive one after the other, or the message of the rejection.
 */
function readThrough(chunks: string[], { isResponseExpected = true } = {}): string {
  const guard = createStatusLineGuard();
  if (isResponseExpected) guard.expectResponse();
  try {
    return chunks.map((chunk) => guard.filter(Buffer.from(chunk, 'latin1')).toString('latin1')).join('');
  } catch (error) {
    const { code, message } = error as SendFailure;
    return `${code}: ${message}`;
  }
}

test('each 100 Continue before a response is removed', () => {
  expect(readThrough([head + response])).toBe(response);
  expect(readThrough([head, head, response])).toBe(response);
  expect(readThrough([`HTTP/1.0 100\r\n\r\n${response}`])).toBe(response);
});

test('103 Early Hints is removed before and after 100 Continue', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  expect(readThrough([hints + head + response])).toBe(response);
  expect(readThrough([...(head + hints + head + response)])).toBe(response);
});

test('100 Continue is removed even if it arrives in several chunks', () => {
  for (let at = 1; at < head.length + response.length; at += 1) {
    const bytes = head + response;
    expect(readThrough([bytes.slice(0, at), bytes.slice(at)])).toBe(response);
  }
  expect(readThrough([...(head + response)])).toBe(response);
});

test('the status line guard passes final responses and status 101 unchanged', () => {
  for (const bytes of [
    response,
    'HTTP/1.0 1000 x\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 099 x\r\n\r\n',
    'HTTP/1.1 20',
  ]) {
    expect(readThrough([bytes])).toBe(bytes);
    expect(readThrough([...bytes])).toBe(bytes);
  }
});

test('empty lines before a status line are removed', () => {
  expect(readThrough([`\r\n\n${head}\r\n${response}`])).toBe(response);
  expect(readThrough([...`\r\n\n${head}\r\n${response}`])).toBe(response);
});

const rejected = 'invalid_response: The response is not valid HTTP/1.1.';

test.each(['R', 'S', 'h', ' ', '\0', 'HS', 'HTTPS', 'HTTP/0', 'HTTP/2', 'HTTP/1.2', 'HTTP/1.10'])(
  'a response that starts with %j is rejected as soon as the last byte of this start arrives',
  (start) => {
    expect(readThrough([...start])).toBe(rejected);
    expect(readThrough([...start.slice(0, -1)])).toBe('');
    expect(readThrough([head + start])).toBe(rejected);
  },
);

test('a response body that looks like 100 Continue is unchanged', () => {
  expect(readThrough([response, head])).toBe(response + head);
  expect(readThrough([response, 'RTSP/1.0'])).toBe(`${response}RTSP/1.0`);
});

test('the status line guard passes bytes unchanged while no response is expected', () => {
  expect(readThrough([head], { isResponseExpected: false })).toBe(head);
  expect(readThrough(['x'], { isResponseExpected: false })).toBe('x');
});

test('an interim response of 1.5 MB is removed, and the response after it is passed on', () => {
  const endless = [`HTTP/1.1 100 ${'x'.repeat(500_000)}`, ...Array<string>(1000).fill('x'.repeat(1000))];
  expect(readThrough([...endless, `\r\n\r\n${response}`])).toBe(response);
});
