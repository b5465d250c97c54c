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
  ['accept pause s', (r: FaultResult) => (r.pauses.acceptMs / 1_000).toFixed(1)],
  ['deliver pause s', (r: FaultResult) => (r.pauses.deliverMs / 1_000).toFixed(1)],
  ['API 503', (r: FaultResult) => String(r.responses.byStatus['503'] ?? 0)],
  ['API max s', (r: FaultResult) => (r.responses.slowestMs / 1_000).toFixed(1)],
  ['in flight', (r: FaultResult) => `${r.exposure.inFlight} ${r.exposure.of}`],
] as const;

/** Returns a Markdown table, followed by one line for each problem. */
export function formatFaultTable(results: FaultResult[]): string {
  const header = `| ${columns.map(([name]) => name).join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`;
  const rows = results.map((result) => `| ${columns.map(([, show]) => show(result)).join(' | ')} |`);
  const problems = results.flatMap(({ fault, problems }) =>
    problems.map((problem) => `FAILED ${fault}: ${problem}`),
  );
  return [header, ...rows, ...problems].join('\n');
}
