import { agreesWithJinja2, readCases } from './cases/read-cases.js';
import { type EngineName, engines } from './engines/engines.js';
import { runEngine } from './engines/run-engine.js';

await main();

/** Prints a Markdown table with the number of shared cases that each engine renders as Jinja2 does. */
async function main(): Promise<void> {
  const cases = readCases();
  const lines = cases.map(({ line }) => line);
  const count = (tier?: number) =>
    cases.filter((expected) => tier === undefined || expected.tier === tier).length;
  process.stdout.write(
    `| engine | version | all ${count()} | tier 1 (${count(1)}) | tier 2 (${count(2)}) | process ended |\n`,
  );
  process.stdout.write('|---|---|---|---|---|---|\n');
  for (const name of Object.keys(engines) as EngineName[]) {
    const { version, results } = await runEngine(name, lines);
    const agreeing = cases.filter((expected, index) => {
      const result = results[index];
      return result != null && agreesWithJinja2(expected, result);
    });
    const share = (tier?: number) => {
      const agreed = agreeing.filter((expected) => tier === undefined || expected.tier === tier).length;
      return `${agreed} (${((100 * agreed) / count(tier)).toFixed(1)} %)`;
    };
    const ended = results.filter((result) => result === null).length;
    process.stdout.write(`| ${name} | ${version} | ${share()} | ${share(1)} | ${share(2)} | ${ended} |\n`);
  }
}
