import { readFileSync } from 'node:fs';
import { createCaseRunner, type TemplateCase } from './case-runner.js';

/** Answers the cases of a file, one line of JSON each, in their order. */
function main(file: string | undefined): void {
  if (file === undefined) {
    process.stderr.write('usage: npm run -s template:cases -- FILE\n');
    process.exitCode = 2;
    return;
  }
  const run = createCaseRunner();
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const line of lines) {
    if (line.trim() === '') continue;
    process.stdout.write(`${JSON.stringify(run(JSON.parse(line) as TemplateCase))}\n`);
  }
}

main(process.argv[2]);
