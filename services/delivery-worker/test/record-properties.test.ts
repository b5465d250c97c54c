import { propertyRuns } from '@tocsin/testing';
import { useTestDatabase } from '@tocsin/testing/database';
import fc from 'fast-check';
import { emptyModel } from './support/record-model/model.js';
import { createRealDeliveries } from './support/record-model/real-deliveries.js';
import { anySteps, rareSequences } from './support/record-model/sequences.js';
import type { Step } from './support/record-model/steps.js';

/**
 * Scenario: one webhook has two deliveries. Two workers, which can die and restart, claim and record them. A dispatcher
 * queues them, and users redeliver them. After each step, the rows in the database must equal those of a model in
 * memory.
 */

const db = useTestDatabase();

/** Number of occurrences of each situation, by its name, for example `lost message`. */
const seen = new Map<string, number>();

async function runSteps(steps: Step[]): Promise<void> {
  await fc.asyncModelRun(async () => {
    const real = await createRealDeliveries(db.database);
    return { model: emptyModel(real.ids.length, seen), real };
  }, steps);
}

test.each(Object.entries(rareSequences))(
  'database rows match the reference model after each step of a sequence with %s',
  async (_, steps) => {
    await runSteps(steps);
  },
);

test('rows match the reference model in random sequences of claims, outcomes and redeliveries', async () => {
  await fc.assert(fc.asyncProperty(anySteps, runSteps), propertyRuns(20));
}, 120_000);

test('fixed and random sequences of steps reach every situation that the reference model names', () => {
  const situations = [
    'claim',
    'repeated claim',
    'claim of another run',
    'lost claim',
    'lost message',
    'outcome',
    'repeated outcome',
    'late outcome of a released claim',
    'late outcome of a replaced claim',
    'late outcome of an earlier run',
    'deferral',
    'late deferral',
    'reopened',
    'brought_forward',
    'sending',
  ];
  expect([...seen.keys()]).toEqual(expect.arrayContaining(situations));
});
