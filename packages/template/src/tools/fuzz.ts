import { compareWithJinja2, findPython } from './fuzz/compare.js';

/** Compares generated templates with the Jinja2 of this machine, and prints those that differ. */
function main(seed: number, count: number): void {
  const python = findPython();
  if (python === undefined) {
    process.stderr.write('no python3 with jinja2 here (on Debian: apt-get install python3-jinja2)\n');
    process.exitCode = 2;
    return;
  }
  const { compared, differences } = compareWithJinja2(python, { seed, count });
  for (const difference of differences) process.stdout.write(`${JSON.stringify(difference)}\n`);
  const agreed = compared - differences.length;
  process.stderr.write(
    `${agreed} of ${compared} agree (${((100 * agreed) / compared).toFixed(2)} %), seed ${seed}\n`,
  );
  if (agreed < compared) process.exitCode = 1;
}

const [seed = '1', count = '1000'] = process.argv.slice(2);
main(Number(seed), Number(count));
