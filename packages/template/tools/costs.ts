import { hostileTemplates } from './costs/hostile-templates.js';
import { createCostMeter } from './costs/measure-cost.js';
import { searchCosts } from './costs/search-costs.js';

const [first = '', seed = '1', count = '1000'] = process.argv.slice(2);
if (first === '--search') printSearch(Number(seed), Number(count));
else printCosts(first);

/**
 * Prints the CPU time of each hostile template, at its largest size within the budget and at a larger size. `part`
 * selects the templates whose title contains this text.
 */
function printCosts(part: string): void {
  const measure = createCostMeter({ precision: 0.004, batchMs: 50 });
  const rows = Object.entries(hostileTemplates)
    .filter(([title]) => title.includes(part))
    .map(([title, template]) => ({ title, ...measure(template) }));
  rows.sort((left, right) => worstMs(right) - worstMs(left));
  process.stdout.write('accepted ms  refused ms   steps    size  template\n');
  for (const { title, acceptedMs, refusedMs, steps, size } of rows) {
    const columns = [
      acceptedMs.toFixed(2).padStart(11),
      refusedMs.toFixed(2).padStart(11),
      String(steps).padStart(7),
      String(size).padStart(7),
    ];
    process.stdout.write(`${columns.join(' ')}  ${title}\n`);
  }
}

function worstMs({ acceptedMs, refusedMs }: { acceptedMs: number; refusedMs: number }): number {
  return Math.max(acceptedMs, refusedMs);
}

/** Prints the ten slowest of `count` generated templates. */
function printSearch(seed: number, count: number): void {
  for (const { milliseconds, template } of searchCosts({ seed, count }).slice(0, 10)) {
    process.stdout.write(`${milliseconds.toFixed(1).padStart(6)} ms  ${JSON.stringify(template)}\n`);
  }
}
