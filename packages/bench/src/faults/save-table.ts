import { writeFileSync } from 'node:fs';
import { describeMachine } from '../report/machine.js';

/** Keeps a table as a Markdown page that says which code it is of, on what machine, and how it was made. */
export function saveTable(file: string, table: string): void {
  const { commit, cpu, cores, memoryGb, system, node } = describeMachine();
  // Where it is kept is no part of how it was made.
  const args = process.argv
    .slice(2)
    .filter((arg, index, all) => arg !== '--save' && all[index - 1] !== '--save');
  const page = `# Faults, ${new Date().toISOString().slice(0, 10)}, ${commit}

\`npm run test:faults -- ${args.map(quoted).join(' ')}\` on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}.

${table}
`;
  writeFileSync(file, page);
}

function quoted(arg: string): string {
  return /^[\w-]+$/.test(arg) ? arg : `'${arg}'`;
}
