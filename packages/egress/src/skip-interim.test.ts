import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { skipInterim } from './skip-interim.js';

const head = 'HTTP/1.1 100 Continue\r\nX-Note: a\r\n\r\n';
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** What a reader sees of `chunks`, each read as it arrives. */
function readThrough(chunks: string[], { isHeadDue = true } = {}): string {
  const stream = new Duplex({ read() {}, write() {} });
  const expectHead = skipInterim(stream as unknown as Socket);
  if (isHeadDue) expectHead();
  let seen = '';
  for (const chunk of chunks) {
    stream.push(chunk);
    for (let bytes = stream.read(); bytes !== null; bytes = stream.read()) seen += bytes.toString('latin1');
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
    'HTTP/1.1 1000 x\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 099 x\r\n\r\n',
    'SSH-2.0-x\r\n',
    'HTTP/1.1 20',
  ]) {
    expect(readThrough([bytes])).toBe(bytes);
  }
});

test('a body that looks like 100 Continue is left alone', () => {
  expect(readThrough([answer, head])).toBe(answer + head);
});

test('nothing is dropped while no answer is due', () => {
  expect(readThrough([head], { isHeadDue: false })).toBe(head);
});

test('a flood of 100 Continue and an endless one are handed on, not held', () => {
  expect(readThrough([head.repeat(11)])).toBe(head);
  expect(readThrough([`HTTP/1.1 100 ${'x'.repeat(5000)}`])).toHaveLength(5013);
});
