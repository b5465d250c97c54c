import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { watchAnswerStart } from './answer-start.js';

const head = 'HTTP/1.1 100 Continue\r\nX-Note: a\r\n\r\n';
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** What a reader sees of `chunks`, each read as it arrives, or why they are refused. */
function readThrough(chunks: string[], { isStartDue = true } = {}): string {
  const stream = new Duplex({ read() {}, write() {} });
  let refusal = '';
  const expectAnswer = watchAnswerStart(stream as unknown as Socket, ({ code, message }) => {
    refusal = `${code}: ${message}`;
  });
  if (isStartDue) expectAnswer();
  let seen = '';
  for (const chunk of chunks) {
    stream.push(chunk);
    for (let bytes = stream.read(); bytes !== null; bytes = stream.read()) seen += bytes.toString('latin1');
    if (refusal !== '') return refusal;
  }
  return seen;
}

test('100 Continue before an answer is dropped, also several and without a reason phrase', () => {
  expect(readThrough([head + answer])).toBe(answer);
  expect(readThrough([head, head, answer])).toBe(answer);
  expect(readThrough([`HTTP/1.0 100\r\n\r\n${answer}`])).toBe(answer);
});

test('interim answers are dropped whatever their order: a 100 behind another one too', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  expect(readThrough([hints + head + answer])).toBe(answer);
  expect(readThrough([...(head + hints + head + answer)])).toBe(answer);
});

test('100 Continue is dropped however it is split', () => {
  for (let at = 1; at < head.length + answer.length; at += 1) {
    const bytes = head + answer;
    expect(readThrough([bytes.slice(0, at), bytes.slice(at)])).toBe(answer);
  }
  expect(readThrough([...(head + answer)])).toBe(answer);
});

test('what is no interim answer comes through as it is', () => {
  for (const bytes of [
    answer,
    'HTTP/1.0 1000 x\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 099 x\r\n\r\n',
    'HTTP/1.1 20',
  ]) {
    expect(readThrough([bytes])).toBe(bytes);
    expect(readThrough([...bytes])).toBe(bytes);
  }
});

test('empty lines before a start are dropped', () => {
  expect(readThrough([`\r\n\n${head}\r\n${answer}`])).toBe(answer);
  expect(readThrough([...`\r\n\n${head}\r\n${answer}`])).toBe(answer);
});

const refused = 'invalid_response: The response is not valid HTTP/1.1.';

test.each(['R', 'S', 'h', ' ', '\0', 'HS', 'HTTPS', 'HTTP/0', 'HTTP/2', 'HTTP/1.2', 'HTTP/1.10'])(
  'an answer that begins with %j is refused at the first byte that tells',
  (start) => {
    expect(readThrough([...start])).toBe(refused);
    expect(readThrough([...start.slice(0, -1)])).toBe('');
    expect(readThrough([head + start])).toBe(refused);
  },
);

test('a body that looks like 100 Continue is left alone', () => {
  expect(readThrough([answer, head])).toBe(answer + head);
  expect(readThrough([answer, 'RTSP/1.0'])).toBe(`${answer}RTSP/1.0`);
});

test('nothing is dropped or refused while no answer is due', () => {
  expect(readThrough([head], { isStartDue: false })).toBe(head);
  expect(readThrough(['x'], { isStartDue: false })).toBe('x');
});

test('a flood of 100 Continue is refused, and of an endless one nothing is held', () => {
  expect(readThrough([head.repeat(10) + answer])).toBe(answer);
  expect(readThrough([head.repeat(11)])).toBe(
    'invalid_response: The destination sends interim responses without end.',
  );
  const endless = [`HTTP/1.1 100 ${'x'.repeat(500_000)}`, ...Array<string>(1000).fill('x'.repeat(1000))];
  expect(readThrough([...endless, `\r\n\r\n${answer}`])).toBe(answer);
});
