import { until } from '@tocsin/testing';
import { decryptAttemptRow } from '@tocsin/testing/database';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => harness.startWorker());

const token = 'c3VwZXItc2VjcmV0LXRva2Vu';
const path = '/services/T0001/a-secret-path-segment?key=a-secret-query-value';
const headers = { Authorization: [`Bearer ${token}`], 'X-Api-Key': ['key-0123456789'] };

/** Sends an alert to a destination that responds with the text from `echo`, and returns the stored response body. */
async function storedResponse(echo: (rawHeaders: string[]) => string): Promise<string> {
  harness.destination.respond(path, ({ rawHeaders }, response) => response.end(echo(rawHeaders)));
  const url = harness.destination.url(path);
  const target = await harness.addTarget({ url, headers, body: '{}' });
  const alertId = await harness.fire(await harness.addRule([target.id]));
  let row: Parameters<typeof decryptAttemptRow>[0] | undefined;
  await until('the attempt is recorded', async () => {
    const [delivery] = await harness.deliveriesOf(alertId);
    row = delivery && (await harness.database.knex('attempts').where({ delivery_id: delivery.id }).first());
    return row !== undefined;
  });
  return decryptAttemptRow(row!, harness).responseBody;
}

test('a response that echoes the request is stored without the secrets of the request', async () => {
  const stored = await storedResponse((rawHeaders) =>
    JSON.stringify({ path, rawHeaders, copy: Buffer.from(token).toString('base64') }),
  );
  expect(stored).toContain('"Authorization","[redacted]","X-Api-Key","[redacted]"');
  expect(stored).toContain('/services/T0001/[redacted]?key=[redacted]"');
  expect(stored).toContain('"copy":"[redacted]"');
});

test('a secret that continues beyond the stored part of a response is redacted', async () => {
  const keptBytes = 65_536;
  const stored = await storedResponse(() => `${'.'.repeat(keptBytes - 20)}Bearer ${token}${'.'.repeat(100)}`);
  expect(stored.replaceAll('.', '')).toBe('[redacted]');
});
