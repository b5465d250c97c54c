import { writeFileSync } from 'node:fs';
import { describeMachine } from '../report/machine.js';

/** Keeps a table as a Markdown page that says which code it is of, on what machine, and how it was made. */
export function saveTable(file: string, table: string): void {
  const { commit, cpu, cores, memoryGb, system, node } = describeMachine();
  const args = process.argv.slice(2).join(' ');
  const page = `# Faults, ${new Date().toISOString().slice(0, 10)}, ${commit}

\`npm run test:faults -- ${args}\` on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}.

${table}
`;
  writeFileSync(file, page);
}
