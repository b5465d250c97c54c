import { parseArgs } from 'node:util';
import { allFaults } from './faults.js';
import { type FaultResult, runFault } from './run-fault.js';
import { startStage } from './stage.js';
import { formatTable } from './table.js';
import { longTiming, shortTiming } from './timing.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    alerts: { type: 'string' },
  },
});
const say = (line: string) => console.log(line);
const base = values.short ? shortTiming : longTiming;
const timing = values.alerts === undefined ? base : { ...base, alerts: Number(values.alerts) };
const wanted = values.only.split(',').filter((part) => part !== '');
const faults = allFaults(Number(values.seed)).filter(({ name, short }) =>
  wanted.length > 0 ? wanted.some((part) => name.includes(part)) : !values.short || short,
);

const stage = await startStage({ timing, nodeOptions: { worker: [], api: [] }, say });
const results: FaultResult[] = [];
try {
  for (const fault of faults) {
    const startedAtMs = performance.now();
    const result = await runFault(stage, fault);
    results.push(result);
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    say(`${result.problems.length === 0 ? 'ok ' : 'RED'} ${fault.name} (${seconds} s)`);
    for (const problem of result.problems) say(`    ${problem}`);
  }
} finally {
  await stage.stop();
}
say(formatTable(results));
process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
