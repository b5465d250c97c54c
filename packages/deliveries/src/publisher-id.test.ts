import { randomUUID } from 'node:crypto';
import { createSecretBox, parseSecretKeys } from '@tocsin/database';
import { decryptPublisher, encryptPublisher, publisherId } from './publisher-id.js';

const box = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const secretBox = createSecretBox(parseSecretKeys(box('k1', 7)));
const alert = { workspace_id: randomUUID(), alert_id: randomUUID() };
const id = publisherId('https://id.example#ada');

test('the id of a principal is a UUID that depends on its issuer and its subject', () => {
  const ids = [id, publisherId('https://id.example#bob'), publisherId('https://other.example#ada')];
  expect(new Set(ids).size).toBe(3);
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  // Stored alerts contain the id of their publisher, and are searched by this id. The id of a principal must therefore
  // never change.
  expect(id).toBe('35e1499a-0f1b-55e4-9bd9-7f06313a179d');
});

test("the header with an alert's publisher can be decrypted even after the current key changes", () => {
  const header = encryptPublisher(id, alert, secretBox);
  const rotated = createSecretBox(parseSecretKeys(`${box('k2', 8)},${box('k1', 7)}`));
  expect([decryptPublisher(header, alert, secretBox), decryptPublisher(header, alert, rotated)]).toEqual([
    id,
    id,
  ]);
});

const header = encryptPublisher(id, alert, secretBox);
const cut = (bytes: number) => Buffer.from(header, 'base64').subarray(0, bytes).toString('base64');
const foreign = createSecretBox(parseSecretKeys(box('k1', 9)));

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['a text', 'ada'],
  ['an id in clear text', id],
  ['a header for another alert', encryptPublisher(id, { ...alert, alert_id: randomUUID() }, secretBox)],
  [
    'a header for another workspace',
    encryptPublisher(id, { ...alert, workspace_id: randomUUID() }, secretBox),
  ],
  ['a header made with another key', encryptPublisher(id, alert, foreign)],
  ['a header with a short tag', cut(1 + 2 + 12 + 4)],
  ['a header without its end', cut(40)],
])('%s is not accepted as a publisher header', (_, given) => {
  expect(decryptPublisher(given, alert, secretBox)).toBeUndefined();
});
