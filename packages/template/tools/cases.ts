import { readFileSync } from 'node:fs';
import { type CaseResult, createCaseRunner } from './cases/case-runner.js';

main(process.argv[2]);

/** Prints the result of each case in a file as one line of JSON. */
function main(file: string | undefined): void {
  if (file === undefined) {
    process.stderr.write('usage: npm run -s template:cases -- FILE\n');
    process.exitCode = 2;
    return;
  }
  const run = createCaseRunner();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() !== '') process.stdout.write(`${toAsciiLine(run(line))}\n`);
  }
}

/** Escapes all characters that are not ASCII, because some programs split lines at U+2028. */
function toAsciiLine(result: CaseResult): string {
  return JSON.stringify(result).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
