import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { ClaimedDelivery } from '../../../src/delivery/claimed-delivery.js';
import type { Deferral, Outcome } from '../../../src/delivery/outcome.js';
import type { OutcomeRecord } from '../../../src/delivery/record-repository.js';
import * as model from './model.js';
import type { RealDeliveries } from './real-deliveries.js';

export type Step = fc.AsyncCommand<model.Model, RealDeliveries>;

/** Creates a step that changes the model and the database. After the step, both must have the same state. */
function step(name: string, run: (state: model.Model, real: RealDeliveries) => Promise<void>): Step {
  const made: Step = {
    check: () => true,
    async run(state, real) {
      await run(state, real);
      expect(await real.read()).toEqual(state.deliveries.map((delivery) => delivery.state));
    },
    toString: () => name,
  };
  // fast-check calls this method to print the steps of a failed sequence.
  return Object.assign(made, { [fc.toStringMethod]: () => name });
}

const note = ({ seen }: model.Model, situation: string) =>
  seen.set(situation, (seen.get(situation) ?? 0) + 1);

async function queueWaiting({ deliveries }: model.Model, real: RealDeliveries): Promise<void> {
  const waiting = deliveries.flatMap(({ state }, index) =>
    model.isWaiting(state) ? [real.ids[index]!] : [],
  );
  expect((await real.queueAll()).sort()).toEqual(waiting.sort());
  for (const { state } of deliveries) model.queue(state);
}

export const queueAll = step('queue', queueWaiting);

export interface ClaimStep {
  worker: number;
  some: number[];
  /** True if waiting deliveries are queued before the claim. */
  queuesFirst: boolean;
  /** True if the claim is repeated with its token, as after a lost reply. */
  repeats: boolean;
  /** Current run minus the run in the message. With -1, the message names the next run. */
  runBehind: number;
}

export function claims({ worker, some, queuesFirst, repeats, runBehind }: ClaimStep): Step {
  const what = `${some}${repeats ? ' twice' : ''}${runBehind ? ` of run ${-runBehind}` : ''}`;
  return step(`${queuesFirst ? 'queue, and ' : ''}worker ${worker} claims ${what}`, async (state, real) => {
    if (queuesFirst) await queueWaiting(state, real);
    const due = some.map((index) => ({
      deliveryId: real.ids[index]!,
      run: state.deliveries[index]!.state.run - runBehind,
    }));
    if (runBehind !== 0) note(state, 'claim of another run');
    const token = randomUUID();
    const mine = new Set<number>();
    for (const repetition of repeats ? [false, true] : [false]) {
      const claimed = await real.claim(worker, due, token);
      const expected = some.filter((index, position) => {
        if (repetition && !mine.has(index)) return false;
        const { run } = due[position]!;
        return model.claim(state.deliveries[index]!.state, { worker, run, repetition });
      });
      expect(claimed.map(({ deliveryId }) => deliveryId).sort()).toEqual(
        expected.map((index) => real.ids[index]).sort(),
      );
      for (const index of expected) {
        mine.add(index);
        if (repetition) note(state, 'repeated claim');
        else note(state, 'claim');
        // The reply to the repeated claim replaces the lost reply to the first one.
        const { held, state: row } = state.deliveries[index]!;
        if (repetition) held.pop();
        held.push({ claimed: expectedClaim(claimed, real.ids[index]!, row) });
      }
    }
  });
}

function expectedClaim(
  claims: ClaimedDelivery[],
  id: string,
  { open }: model.DeliveryState,
): ClaimedDelivery {
  const claimed = claims.find(({ deliveryId }) => deliveryId === id)!;
  const { run, claim, claimsWithoutOutcome, step: used, manual } = open!;
  expect(claimed).toMatchObject({ run, claim, claimsWithoutOutcome, step: used, manual });
  return claimed;
}

export function dies(index: number): Step {
  return step(`worker ${index} dies`, async (state, real) => {
    await real.restart(index);
    for (const delivery of state.deliveries) {
      if (delivery.state.open?.claimedBy !== index) continue;
      note(state, 'lost claim');
      model.release(delivery.state);
    }
  });
}

export const loseMessages = step('messages are lost', async (state, real) => {
  await real.loseMessages();
  for (const delivery of state.deliveries) {
    if (!model.isUnclaimed(delivery.state)) continue;
    note(state, 'lost message');
    model.release(delivery.state);
  }
});

export function returnMessages(some: number[]): Step {
  return step(`the messages of ${some} are returned`, async ({ deliveries }, real) => {
    await real.unqueue(
      some.map((index) => ({ deliveryId: real.ids[index]!, run: deliveries[index]!.state.run })),
    );
    for (const index of some)
      if (model.isUnclaimed(deliveries[index]!.state)) model.release(deliveries[index]!.state);
  });
}

/** Selects a claim of a delivery. */
export interface ClaimName {
  index: number;
  /** Number of claims to count back from the latest. */
  back: number;
  /**
   * If true, a claim that already has an outcome or a deferral can also be selected. A worker records an outcome again
   * if the database's reply was lost.
   */
  repeats: boolean;
}

function claimOf(
  { deliveries }: model.Model,
  { index, back, repeats }: ClaimName,
): model.HeldClaim | undefined {
  const held = deliveries[index]!.held.filter(({ decision }) => repeats || decision === undefined);
  return held.at(-1 - (back % Math.max(1, held.length)));
}

/** Outcome to record for a claim. `attempt` is missing if no request was sent. */
export interface Decision {
  outcome: Outcome;
  attempt?:
    | Pick<NonNullable<OutcomeRecord['attempt']>, 'destination' | 'requestBody' | 'response'>
    | undefined;
  rendered?: string | undefined;
}

/** Creates a step that records a batch with at most one outcome for each delivery. Deferred claims are skipped. */
export function outcomes(picks: (ClaimName & { decision: Decision })[]): Step {
  const names = picks.map(({ index, back }) => `${index}:-${back}`);
  return step(`outcomes of ${names}`, async (state, real) => {
    const batch = new Map<number, OutcomeRecord>();
    for (const { decision, ...picked } of picks) {
      const held = claimOf(state, picked);
      if (held === undefined) continue;
      held.decision ??= { record: recordOf(held.claimed, decision) };
      if ('record' in held.decision) batch.set(picked.index, held.decision.record);
    }
    if (batch.size === 0) return;
    await real.records.record([...batch.values()]);
    for (const [index, recorded] of batch) note(state, model.record(state.deliveries[index]!, recorded));
  });
}

function recordOf(claimed: ClaimedDelivery, { outcome, attempt, rendered }: Decision): OutcomeRecord {
  if (attempt === undefined) return { claimed, outcome, attempt, rendered };
  const trigger = claimed.manual ? ('manual' as const) : ('scheduled' as const);
  const timing = { startedAt: new Date(), durationMs: 3, failure: undefined, note: undefined };
  return { claimed, outcome, attempt: { ...attempt, trigger, ...timing } };
}

export function defers({ deferral, ...picked }: ClaimName & { deferral: Deferral }): Step {
  return step(`claim ${picked.index}:-${picked.back} is deferred`, async (state, real) => {
    const held = claimOf(state, picked);
    if (held === undefined || held.decision !== undefined) return;
    held.decision = { deferral };
    await real.records.defer([{ claimed: held.claimed, deferral }]);
    note(state, model.defer(state.deliveries[picked.index]!, held.claimed, deferral));
  });
}

export function redelivers(index: number): Step {
  return step(`a user redelivers ${index}`, async (state, real) => {
    const expected = model.redeliver(state.deliveries[index]!);
    note(state, expected);
    expect(await real.redeliver(index)).toBe(expected);
  });
}
