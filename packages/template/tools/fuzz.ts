import { compareWithJinja2, findPython, shrinkFirstDifference } from './fuzz/compare-with-jinja2.js';

const [seed = '1', count = '1000'] = process.argv.slice(2);
main(Number(seed), Number(count));

/** Compares generated templates with this machine's Jinja2. Prints the differences, and the first one shrunk. */
function main(seed: number, count: number): void {
  const python = findPython();
  if (python === undefined) {
    process.stderr.write('Python 3 with Jinja2 is missing (Debian: apt-get install python3-jinja2).\n');
    process.exitCode = 2;
    return;
  }
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
