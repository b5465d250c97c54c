import { writeFileSync } from 'node:fs';
import { describeMachine } from './machine.js';

export interface Page {
  file: string;
  title: string;
  /** The npm script that writes the page. */
  command: string;
  /** Content in Markdown. */
  content: string;
}

/** Writes a Markdown page with the content, the date, the commit, the machine and the command line. */
export function savePage({ file, title, command, content }: Page): void {
  const { commit, cpu, cores, memoryGb, system, node } = describeMachine();
  const args = process.argv
    .slice(2)
    .filter((arg, index, all) => arg !== '--save' && all[index - 1] !== '--save');
  const page = `# ${title}, ${new Date().toISOString().slice(0, 10)}, ${commit}

\`npm run ${command} -- ${args.map(quote).join(' ')}\` on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}.

${content}
`;
  writeFileSync(file, page);
}

function quote(arg: string): string {
  return /^[\w-]+$/.test(arg) ? arg : `'${arg}'`;
}
