import { writeFileSync } from 'node:fs';
import { describeMachine } from '../report/machine.js';
import type { FaultResult } from './run-fault.js';

const columns = [
  ['fault', (r: FaultResult) => r.fault],
  ['accepted', (r: FaultResult) => String(r.accepted)],
  ['delivered', (r: FaultResult) => `${r.delivered}/${r.expected}`],
  ['lost', (r: FaultResult) => String(r.lost)],
  ['repeated', (r: FaultResult) => String(r.repeated)],
  ['bound', (r: FaultResult) => String(r.exposure.bound)],
  ['disagree', (r: FaultResult) => String(r.disagreements.length)],
  ['recovery s', (r: FaultResult) => r.recoverySeconds.toFixed(1)],
  ['API 503', (r: FaultResult) => String(r.responses.byStatus['503'] ?? 0)],
  ['API max s', (r: FaultResult) => (r.responses.slowestMs / 1_000).toFixed(1)],
  ['in flight', (r: FaultResult) => `${r.exposure.inFlight} ${r.exposure.of}`],
] as const;

/** Returns a Markdown table, followed by one line for each problem. */
export function formatFaultTable(results: FaultResult[]): string {
  const header = `| ${columns.map(([name]) => name).join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`;
  const rows = results.map((result) => `| ${columns.map(([, show]) => show(result)).join(' | ')} |`);
  const problems = results.flatMap(({ fault, problems }) =>
    problems.map((problem) => `RED ${fault}: ${problem}`),
  );
  return [header, ...rows, ...problems].join('\n');
}

/** Writes a table as a Markdown page with the commit, the machine and the command line. */
export function saveFaultTable(file: string, table: string): void {
  const { commit, cpu, cores, memoryGb, system, node } = describeMachine();
  const args = process.argv
    .slice(2)
    .filter((arg, index, all) => arg !== '--save' && all[index - 1] !== '--save');
  const page = `# Faults, ${new Date().toISOString().slice(0, 10)}, ${commit}

\`npm run test:faults -- ${args.map(quote).join(' ')}\` on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}.

${table}
`;
  writeFileSync(file, page);
}

function quote(arg: string): string {
  return /^[\w-]+$/.test(arg) ? arg : `'${arg}'`;
}
