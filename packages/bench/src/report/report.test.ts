import { renderChart } from './chart.js';
import type { Results } from './results.js';
import { renderTable } from './table.js';

const results: Results = {
  startedAt: '2026-01-02T03:04:05.000Z',
  machine: {
    cpu: 'A <fast> & "good" one',
    cores: 2,
    memoryGb: 8,
    kernel: '6',
    system: 'Debian',
    node: 'v20',
    commit: 'abc',
  },
  latency: [{ perSecond: 200, deliveries: 2_000, latencyMs: { p50: 3, p95: 7, p99: 12, max: 30 } }],
};

test('the table of results contains only the measured scenarios', () => {
  const table = renderTable(results);
  expect(table).toContain('latency at 200/s');
  expect(table).toContain('p99 12.0 ms');
  expect(table.split('\n')).toHaveLength(1);
});

test('the chart escapes special characters in the name of the CPU', () => {
  const chart = renderChart(results);
  expect(chart).toContain('A &lt;fast&gt; &amp; &quot;good&quot; one');
  expect(chart.match(/<rect /g)).toHaveLength(2);
});

test('results without scenarios give an empty table and a chart without bars', () => {
  const { latency: _, ...nothing } = results;
  expect(renderTable(nothing)).toBe('');
  expect(renderChart(nothing).match(/<rect /g)).toHaveLength(1);
});
