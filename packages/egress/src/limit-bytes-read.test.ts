import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitBytesRead } from './limit-bytes-read.js';

function start() {
  const wire = Object.assign(new EventEmitter(), { bytesRead: 0 });
  const told = { times: 0 };
  limitBytesRead(wire as unknown as Socket, 10, () => {
    told.times += 1;
  });
  wire.bytesRead = 11;
  return { wire, told };
}

test('the byte limit is checked by a timer even if nobody reads the socket', async () => {
  const { told } = start();
  while (told.times === 0) await sleep(10);
});

test('the byte limit is no longer checked after the socket has closed', async () => {
  const { wire, told } = start();
  wire.emit('close');
  await sleep(600);
  expect(told.times).toBe(0);
});
