import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderChart } from './chart.js';
import type { Results } from './results.js';
import { renderTable } from './table.js';

/**
 * Writes the results as JSON, chart and table, in files named by date and commit. Returns the directory and the file
 * name without extension.
 */
export function writeResults(results: Results): { directory: string; name: string } {
  const directory = fileURLToPath(new URL('../../results/', import.meta.url));
  const name = `${results.startedAt.slice(0, 10)}-${results.machine.commit}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(directory, `${name}.svg`), renderChart(results));
  writeFileSync(join(directory, `${name}.txt`), `${renderTable(results)}\n`);
  return { directory, name };
}
