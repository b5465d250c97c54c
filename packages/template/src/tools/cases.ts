import { readFileSync } from 'node:fs';
import { type CaseAnswer, createCaseRunner } from './case-runner.js';

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
    process.stdout.write(`${toAsciiLine(run(line))}\n`);
  }
}

/** Whoever reads it may split lines at U+2028 or not know the encoding. */
function toAsciiLine(answer: CaseAnswer): string {
  return JSON.stringify(answer).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

main(process.argv[2]);
