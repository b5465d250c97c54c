import fc from 'fast-check';
import { type Deferral, deferralReasons, type Outcome } from '../../../src/delivery/outcome.js';
import { deliveryCount, workerCount } from './real-deliveries.js';
import {
  type ClaimStep,
  claims,
  type Decision,
  defers,
  dies,
  loseMessages,
  outcomes,
  queueAll,
  redelivers,
  returnMessages,
  type Step,
} from './steps.js';

const delivery = fc.nat({ max: deliveryCount - 1 });
const worker = fc.nat({ max: workerCount - 1 });
const someDeliveries = fc.subarray(
  Array.from({ length: deliveryCount }, (_, index) => index),
  { minLength: 1 },
);

const claim = fc.record({
  worker,
  some: someDeliveries,
  queuesFirst: fc.constantFrom(true, true, true, false),
  repeats: fc.constantFrom(false, false, true),
  runBehind: fc.constantFrom(...Array<number>(8).fill(0), 1, -1),
});

const failure = { code: 'http_status', error: 'The destination responded with status 500.' } as const;
const outcome = fc.oneof(
  fc.constant<Outcome>({ kind: 'succeeded' }),
  fc.constant<Outcome>({ kind: 'failed', failure }),
  fc.nat({ max: 9 }).map((used): Outcome => ({ kind: 'retry', afterMs: 0, step: used, failure })),
);
const text = fc.constantFrom('', '{"a":1}', 'é😀', 'x'.repeat(3_000));
const response = fc.record({
  statusCode: fc.constantFrom(200, 404, 500),
  body: text,
  truncated: fc.boolean(),
  location: fc.constantFrom(undefined, 'https://b.test/'),
});
const attempt = fc.record({
  destination: fc.constantFrom('http://127.0.0.1:9', 'http://127.0.0.1:8'),
  requestBody: text,
  response: fc.option(response, { nil: undefined }),
});
const disabled: Outcome = { kind: 'skipped', failure: { code: 'webhook_disabled', error: 'Disabled.' } };
const notJson: Outcome = { kind: 'failed', failure: { code: 'invalid_json', error: 'Not JSON.' } };
const decision: fc.Arbitrary<Decision> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ outcome, attempt }) },
  { weight: 1, arbitrary: fc.constant({ outcome: disabled }) },
  { weight: 1, arbitrary: text.map((rendered) => ({ outcome: notJson, rendered: rendered || undefined })) },
);
const deferral = fc.record({ reason: fc.constantFrom(...deferralReasons), hasFailure: fc.boolean() }).map(
  ({ reason, hasFailure }): Deferral => ({
    kind: 'deferred',
    afterMs: 0,
    reason,
    ...(hasFailure && { failure: { code: 'internal_error', error: 'It cannot be decrypted.' } }),
  }),
);

const claimName = {
  index: delivery,
  back: fc.constantFrom(0, 0, 1, 1, 2),
  repeats: fc.constantFrom(false, false, false, true),
};
const anyStep = fc.oneof(
  { weight: 1, arbitrary: fc.constant(queueAll) },
  { weight: 4, arbitrary: claim.map(claims) },
  {
    weight: 4,
    arbitrary: fc
      .uniqueArray(fc.record({ ...claimName, decision }), {
        minLength: 1,
        maxLength: deliveryCount,
        selector: ({ index }) => index,
      })
      .map(outcomes),
  },
  { weight: 1, arbitrary: fc.record({ ...claimName, deferral }).map(defers) },
  { weight: 2, arbitrary: delivery.map(redelivers) },
  { weight: 2, arbitrary: worker.map(dies) },
  { weight: 1, arbitrary: fc.constant(loseMessages) },
  { weight: 1, arbitrary: someDeliveries.map(returnMessages) },
);

export const anySteps = fc.array(anyStep, { minLength: 20, maxLength: 40, size: 'max' });

const claimsFirst: ClaimStep = { worker: 0, some: [0], queuesFirst: true, repeats: false, runBehind: 0 };
const latestOf = (index: number) => ({ index, back: 0, repeats: false });
const request = { destination: 'http://127.0.0.1:8', requestBody: '{}', response: undefined };
const failed: Decision = { outcome: { kind: 'failed', failure }, attempt: request };
const succeeded: Decision = { outcome: { kind: 'succeeded' }, attempt: request };
const retried: Decision = { outcome: { kind: 'retry', afterMs: 0, step: 1, failure }, attempt: request };
const noSlot: Deferral = { kind: 'deferred', afterMs: 0, reason: 'no_slot' };

/** Sequences for situations that random sequences rarely reach. */
export const rareSequences: Record<string, Step[]> = {
  'an outcome that is late by a run': [
    claims(claimsFirst),
    dies(0),
    claims({ ...claimsFirst, worker: 1 }),
    outcomes([{ ...latestOf(0), decision: failed }]),
    redelivers(0),
    outcomes([{ ...latestOf(0), decision: succeeded }]),
    claims({ ...claimsFirst, runBehind: 1 }),
    claims({ ...claimsFirst, queuesFirst: false }),
  ],
  'outcomes and deferrals of released and replaced claims': [
    queueAll,
    loseMessages,
    redelivers(0),
    claims({ ...claimsFirst, some: [0, 1], repeats: true }),
    redelivers(0),
    dies(0),
    outcomes([{ ...latestOf(0), decision: retried }]),
    outcomes([{ ...latestOf(0), repeats: true, decision: retried }]),
    claims({ ...claimsFirst, worker: 1, some: [1] }),
    outcomes([{ index: 1, back: 1, repeats: false, decision: succeeded }]),
    defers({ ...latestOf(1), deferral: noSlot }),
    claims({ ...claimsFirst, some: [1] }),
    dies(0),
    claims({ ...claimsFirst, worker: 1, some: [1] }),
    defers({ index: 1, back: 1, repeats: false, deferral: noSlot }),
    outcomes([{ ...latestOf(1), decision: succeeded }]),
  ],
};
