import type { Logger } from '@tocsin/kit';
import { createKeyCheck, type Destination } from './webhooks-reader.js';

function start() {
  const events: unknown[] = [];
  const error = (_: object, event: string) => events.push(event);
  return { events, keys: createKeyCheck({ error } as unknown as Logger) };
}

const undecryptable = (id: number) => ({ id: `${id}`, error: new Error('no key') });
const redact = (text: string) => text;
const decrypted = {
  id: 'decrypted',
  version: 1,
  url: '',
  headers: {},
  body: '',
  redact,
} satisfies Destination;

test('keys that decrypt none of twenty webhooks are reported once', async () => {
  const { events, keys } = start();
  for (let id = 0; id < 19; id += 1) keys.observe(undecryptable(id));
  await keys.check();
  expect(events).toEqual([]);
  for (let id = 0; id < 40; id += 1) keys.observe(undecryptable(id));
  await expect(keys.check()).rejects.toMatchObject({ code: 'unavailable' });
  expect(events).toEqual(['secrets.keys_mismatch']);
});

test('the keys match if one webhook alone is undecryptable, or many next to a decrypted one', async () => {
  const { events, keys } = start();
  for (let time = 0; time < 100; time += 1) keys.observe(undecryptable(1));
  await keys.check();
  keys.observe(decrypted);
  for (let id = 0; id < 100; id += 1) keys.observe(undecryptable(id));
  await keys.check();
  expect(events).toEqual([]);
});
