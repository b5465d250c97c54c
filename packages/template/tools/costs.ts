import { hostileTemplates } from './costs/hostile-templates.js';
import { createCostMeter } from './costs/measure-cost.js';

main(process.argv[2] ?? '');

/** Prints what each hostile template costs at the edge of the render budget; `part` selects titles. */
function main(part: string): void {
  const measure = createCostMeter({ precision: 0.004, batchMs: 50 });
  const rows = Object.entries(hostileTemplates)
    .filter(([title]) => title.includes(part))
    .map(([title, template]) => ({ title, ...measure(template) }));
  rows.sort((left, right) => worstMs(right) - worstMs(left));
  process.stdout.write('accepted ms  refused ms   steps    size  template\n');
  for (const { title, acceptedMs, refusedMs, steps, size } of rows) {
    const columns = [acceptedMs.toFixed(2).padStart(11), refusedMs.toFixed(2).padStart(11)];
    process.stdout.write(
      `${[...columns, String(steps).padStart(7), String(size).padStart(7)].join(' ')}  ${title}\n`,
    );
  }
}

function worstMs({ acceptedMs, refusedMs }: { acceptedMs: number; refusedMs: number }): number {
  return Math.max(acceptedMs, refusedMs);
}
