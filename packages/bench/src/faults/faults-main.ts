import { parseArgs } from 'node:util';
import { messageOf } from '@tocsin/kit';
import { toNumber } from '../number-option.js';
import { savePage } from '../report/save-page.js';
import type { Fault } from './fault.js';
import { allFaults } from './fault-list.js';
import { formatFaultTable } from './fault-table.js';
import { createFaultTestBed, type FaultTestBed } from './fault-test-bed.js';
import { mutationCases } from './mutation-cases.js';
import { type FaultResult, runFault } from './run-fault.js';
import { runMutation } from './run-mutation.js';
import { longTiming, shortTiming } from './timing.js';

const usage = `npm run test:faults -- [options]
  --short            a few faults with short leases and few alerts, as in CI
  --only TEXT,…      only faults whose name contains one of these texts
  --seed N           seed of the random faults (1)
  --alerts N         minimum number of alerts of each fault
  --save FILE        write the table as a Markdown page
  --mutation NAME    break a promise on purpose ("all": one after the other); succeeds if the suite detects it`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    alerts: { type: 'string' },
    save: { type: 'string' },
    mutation: { type: 'string' },
  },
});
const print = (line: string) => console.log(line);

if (values.help) print(usage);
else {
  const passed = values.mutation === undefined ? await runFaults() : await runMutations(values.mutation);
  process.exit(passed ? 0 : 1);
}

/** Returns true if no fault has a problem or throws an error. */
async function runFaults(): Promise<boolean> {
  const form = values.short ? shortTiming : longTiming;
  const timing = { ...form, alerts: toNumber('alerts', values.alerts ?? String(form.alerts)) };
  const faults = chooseFaults(allFaults(toNumber('seed', values.seed)));
  const results: FaultResult[] = [];
  const errors: string[] = [];
  let testBed: FaultTestBed | undefined;
  for (const fault of faults) {
    const startedAtMs = performance.now();
    const { replicated = false } = fault;
    let passed = false;
    try {
      if (testBed !== undefined && replicated !== (testBed.replicas !== undefined)) {
        await testBed.stop();
        testBed = undefined;
      }
      testBed ??= await createFaultTestBed({ timing, replicated, print });
      const result = await runFault(testBed, fault);
      results.push(result);
      passed = result.problems.length === 0;
      for (const problem of result.problems) print(`    ${problem}`);
    } catch (error) {
      errors.push(`FAILED ${fault.name}: ${messageOf(error)}`);
    }
    // After a problem the state of the test bed is unknown, so the next fault gets a new one.
    if (!passed) {
      await testBed?.stop();
      testBed = undefined;
    }
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    print(`${passed ? 'ok' : 'FAILED'} ${fault.name} (${seconds} s)`);
  }
  await testBed?.stop();
  const table = [formatFaultTable(results), ...errors].join('\n');
  print(table);
  if (values.save !== undefined)
    savePage({ file: values.save, title: 'Faults', command: 'test:faults', content: table });
  return errors.length === 0 && results.every(({ problems }) => problems.length === 0);
}

function chooseFaults(all: Fault[]): Fault[] {
  if (values.only === undefined) return all.filter(({ short }) => !values.short || short);
  const isNamed = (text: string) => (fault: Fault) => text !== '' && fault.name.includes(text);
  const texts = values.only.split(',');
  const unknown = texts.find((text) => !all.some(isNamed(text)));
  if (unknown !== undefined) throw new Error(`No fault has a name that contains "${unknown}".`);
  return all.filter((fault) => texts.some((text) => isNamed(text)(fault)));
}

/** Returns true if the suite detects every chosen mutation. */
async function runMutations(name: string): Promise<boolean> {
  const chosen = mutationCases.filter((mutation) => name === 'all' || mutation.name === name);
  if (chosen.length === 0) throw new Error(`No mutation is called "${name}".`);
  let allDetected = true;
  for (const mutation of chosen) {
    const { detected, problems } = await runMutation(mutation, { timing: shortTiming, print });
    allDetected &&= detected;
    print(
      `${detected ? 'ok detected' : 'FAILED not detected'}: ${mutation.name}, by "${mutation.fault.name}"`,
    );
    for (const problem of problems) print(`    ${problem}`);
  }
  return allDetected;
}
