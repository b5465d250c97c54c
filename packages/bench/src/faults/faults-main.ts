import { parseArgs } from 'node:util';
import { allFaults } from './faults.js';
import { proofs } from './proofs.js';
import { prove } from './prove.js';
import { type FaultResult, runFault } from './run-fault.js';
import { saveTable } from './save-table.js';
import { startStage } from './stage.js';
import { formatTable } from './table.js';
import { longTiming, shortTiming } from './timing.js';

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
    only: { type: 'string', default: '' },
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
  const timing = values.alerts === undefined ? base : { ...base, alerts: Number(values.alerts) };
  const wanted = values.only.split(',').filter((part) => part !== '');
  const faults = allFaults(Number(values.seed)).filter(({ name, short }) =>
    wanted.length > 0 ? wanted.some((part) => name.includes(part)) : !values.short || short,
  );
  if (faults.length === 0) throw new Error(`No fault is called anything like "${values.only}".`);
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
