import { renderTable } from '../report/table.js';
import { writeResults } from '../report/write-results.js';
import { readOptions, usage } from './options.js';
import { runScenarios } from './run-scenarios.js';

const options = readOptions(process.argv.slice(2));
if (options.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  const results = await runScenarios({ ...options, signal: abort.signal, print: console.log });
  console.log(`\n${renderTable(results)}\n`);
  if (options.short) return;
  const { directory, name } = writeResults(results);
  console.log(`Written to ${directory}: ${name}.json, .svg, .txt`);
}
