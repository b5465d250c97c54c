import { parseArgs } from 'node:util';
import { toNumber } from '../bench/options.js';
import { startStage } from './fault-test-bed.js';
import { allFaults } from './faults.js';
import { proofs } from './mutation-cases.js';
import { type FaultResult, runFault } from './run-fault.js';
import { prove } from './run-mutation.js';
import { saveTable } from './save-table.js';
import { formatTable } from './table.js';
import { longTiming, shortTiming } from './timing.js';
import type { Fault } from './trial.js';

const usage = `npm run test:faults -- [options]
  --short            a few faults with short leases and few alerts, as for every commit
  --only TEXT,…      only faults whose name holds one of these
  --seed N           of what happens at random (1)
  --alerts N         alerts of a fault at the least
  --save FILE        keep the table as a Markdown page
  --sabotage NAME    break a promise on purpose ("all": each in turn); succeeds if the suite sees it`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    alerts: { type: 'string' },
    save: { type: 'string' },
    sabotage: { type: 'string' },
  },
});
const say = (line: string) => console.log(line);

if (values.help) say(usage);
else {
  const isRed = values.sabotage === undefined ? await inflictFaults() : await tryProofs(values.sabotage);
  process.exit(isRed ? 1 : 0);
}

/** True where a fault has shown a problem. */
async function inflictFaults(): Promise<boolean> {
  const base = values.short ? shortTiming : longTiming;
  const timing = { ...base, alerts: toNumber('alerts', values.alerts ?? String(base.alerts)) };
  const faults = chooseFaults(allFaults(toNumber('seed', values.seed)));
  const startAnew = () => startStage({ timing, nodeOptions: { worker: [], api: [] }, say });
  const results: FaultResult[] = [];
  const broken: string[] = [];
  let stage = await startAnew();
  /** Who knows in what state it is. */
  const replaceStage = async () => {
    await stage.stop();
    stage = await startAnew();
  };
  for (const fault of faults) {
    const startedAtMs = performance.now();
    let verdict = 'RED';
    try {
      const result = await runFault(stage, fault);
      results.push(result);
      if (result.problems.length === 0) verdict = 'ok ';
      for (const problem of result.problems) say(`    ${problem}`);
      if (verdict === 'RED') await replaceStage();
    } catch (error) {
      broken.push(`RED ${fault.name}: ${error instanceof Error ? error.message : String(error)}`);
      await replaceStage();
    }
    say(`${verdict} ${fault.name} (${Math.round((performance.now() - startedAtMs) / 1_000)} s)`);
  }
  await stage.stop();
  const table = [formatTable(results), ...broken].join('\n');
  say(table);
  if (values.save !== undefined) saveTable(values.save, table);
  return broken.length > 0 || results.some(({ problems }) => problems.length > 0);
}

function chooseFaults(all: Fault[]): Fault[] {
  if (values.only === undefined) return all.filter(({ short }) => !values.short || short);
  const isNamed = (part: string) => (fault: Fault) => part !== '' && fault.name.includes(part);
  const parts = values.only.split(',');
  const unknown = parts.find((part) => !all.some(isNamed(part)));
  if (unknown !== undefined) throw new Error(`No fault is called anything like "${unknown}".`);
  return all.filter((fault) => parts.some((part) => isNamed(part)(fault)));
}

/** True where the suite has missed a sabotage. */
async function tryProofs(name: string): Promise<boolean> {
  const chosen = proofs.filter((proof) => name === 'all' || proof.name === name);
  if (chosen.length === 0) throw new Error(`No sabotage is called "${name}".`);
  let missed = false;
  for (const proof of chosen) {
    const { seen, problems } = await prove(proof, { timing: shortTiming, say });
    missed ||= !seen;
    say(`${seen ? 'ok  turned red' : 'RED NOT SEEN'}: ${proof.name}, by "${proof.fault.name}"`);
    for (const problem of problems) say(`    ${problem}`);
  }
  return missed;
}
