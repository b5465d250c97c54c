import { createLogger, type Logger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt } from './outcome.js';
import { createRecorder } from './record.js';
import type { OutcomeRecord } from './record-repository.js';

test('the texts of a response that the database rejects are dropped from its record, and logged', async () => {
  const tries: OutcomeRecord[] = [];
  const events: string[] = [];
  const silent = createLogger({ service: 'test', level: 'silent' });
  const recorder = createRecorder({
    records: {
      record: async ([record]) => {
        tries.push(record!);
        if (tries.length === 1) throw Object.assign(new Error('not a text'), { code: '22021' });
      },
      defer: async () => {},
    },
    pauses: { pause: async () => {}, resume: async () => {} },
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    logger: { error: (_: unknown, event: string) => events.push(event) } as unknown as Logger,
    onBatch() {},
  });
  const response = { statusCode: 500, body: 'a text', truncated: false, location: '/', retryAfter: '1' };
  const attempt: Attempt = {
    trigger: 'scheduled',
    startedAt: new Date(),
    durationMs: 1,
    destination: 'http://a.example',
    requestBody: '{}',
    response,
    failure: undefined,
    note: undefined,
  };
  const claimed = { deliveryId: 'd' } as ClaimedDelivery;
  const record: OutcomeRecord = { claimed, outcome: { kind: 'succeeded' }, attempt };
  await recorder.record(record);
  const withoutTexts = { ...attempt, response: { statusCode: 500, body: '', truncated: true } };
  expect(tries).toEqual([record, { ...record, attempt: withoutTexts }]);
  expect(events).toEqual(['delivery.record_rejected']);
});
