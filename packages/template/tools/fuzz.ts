import { writeFileSync } from 'node:fs';
import { compareWithJinja2, findPython, shrinkFirstDifference } from './fuzz/compare-with-jinja2.js';
import { recordedResultsFile, recordResults } from './fuzz/recorded-results.js';

main(process.argv.slice(2));

/**
 * Renders generated templates with the evaluator of this package and with this machine's Jinja2, and prints the
 * differences. With `--record`, only writes the results of Jinja2 into the file that the tests read.
 */
function main(args: readonly string[]): void {
  const python = findPython();
  if (python === undefined) {
    process.stderr.write('Python 3 with Jinja2 is missing (Debian: apt-get install python3-jinja2).\n');
    process.exitCode = 2;
    return;
  }
  const [seed = '1', count = '1000'] = args.filter((arg) => arg !== '--record');
  const options = { seed: Number(seed), count: Number(count) };
  if (args.includes('--record')) writeFileSync(recordedResultsFile, recordResults(python, options));
  else compare(python, options);
}

function compare(python: string, { seed, count }: { seed: number; count: number }): void {
  const differences = compareWithJinja2(python, { seed, count });
  for (const difference of differences) process.stdout.write(`${JSON.stringify(difference)}\n`);
  if (differences.length > 0) {
    const smallest = shrinkFirstDifference(python, { seed, count });
    process.stdout.write(`smallest: ${JSON.stringify(smallest)}\n`);
    process.exitCode = 1;
  }
  const agreed = count - differences.length;
  process.stderr.write(
    `${agreed} of ${count} templates agree (${((100 * agreed) / count).toFixed(2)} %), seed ${seed}\n`,
  );
}
