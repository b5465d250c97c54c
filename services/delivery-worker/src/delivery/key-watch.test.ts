import type { Logger } from '@tocsin/kit';
import { createKeyWatch } from './key-watch.js';
import type { Destination } from './webhooks-reader.js';

function start() {
  const lines: unknown[] = [];
  const error = (_: object, line: string) => lines.push(line);
  return { lines, watch: createKeyWatch({ error } as unknown as Logger) };
}

const unopened = (id: number) => ({ id: `${id}`, error: new Error('no key') });
const opened = { id: 'opened', version: 1, url: '', headers: {}, body: '' } satisfies Destination;

test('keys that open none of twenty webhooks are told of once', async () => {
  const { lines, watch } = start();
  for (let id = 0; id < 19; id += 1) watch.saw(unopened(id));
  await watch.check();
  expect(lines).toEqual([]);
  for (let id = 0; id < 40; id += 1) watch.saw(unopened(id));
  await expect(watch.check()).rejects.toMatchObject({ code: 'unavailable' });
  expect(lines).toEqual(['secrets.keys_unfit']);
});

test('one webhook that cannot be opened, or many beside one that can, say nothing of the keys', async () => {
  const { lines, watch } = start();
  for (let time = 0; time < 100; time += 1) watch.saw(unopened(1));
  await watch.check();
  watch.saw(opened);
  for (let id = 0; id < 100; id += 1) watch.saw(unopened(id));
  await watch.check();
  expect(lines).toEqual([]);
});
