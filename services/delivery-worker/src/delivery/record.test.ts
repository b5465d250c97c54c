import type { Logger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { Claimed } from './claimed.js';
import { createRecorder } from './record.js';
import type { Outcome } from './record-repository.js';

test('an answer that the database refuses is left out of its record, and the log tells of it', async () => {
  const tries: Outcome[] = [];
  const logged: string[] = [];
  const logger = { error: (_: unknown, event: string) => logged.push(event), warn() {} } as unknown as Logger;
  const recorder = createRecorder({
    records: {
      record: async ([outcome]) => {
        tries.push(outcome!);
        if (tries.length === 1) throw Object.assign(new Error('not a text'), { code: '22021' });
      },
    },
    deferrals: { renew: async () => {}, defer: async () => {} },
    holds: { hold: async () => {}, release: async () => {} },
    databaseRetry: createDatabaseRetry({ logger, signal: new AbortController().signal }),
    logger,
    onBatch() {},
    leaseMs: 30_000,
  });
  const answer = { statusCode: 500, body: 'a text', truncated: false };
  const attempt = {
    trigger: 'scheduled' as const,
    startedAt: new Date(),
    durationMs: 1,
    requestBody: '{}',
    response: answer,
    failure: undefined,
    note: undefined,
  };
  const outcome = {
    claimed: { deliveryId: 'd' } as Claimed,
    verdict: { kind: 'succeeded' as const },
    attempt,
  };
  await recorder.record(outcome);
  const response = { ...answer, body: '', truncated: true };
  expect(tries).toEqual([outcome, { ...outcome, attempt: { ...attempt, response } }]);
  expect(logged).toEqual(['delivery.record_refused']);
});
