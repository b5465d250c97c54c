import { totalOf } from '../bench/idle.js';
import type { RestResult } from '../bench/rest.js';
import { sumOf } from '../measure/process-usage.js';
import { formatMs, type Percentiles, type Spread } from '../measure/statistics.js';
import type { Results } from './results.js';

type Row = [label: string, value: string, detail?: string];

/** Renders the results as aligned lines of plain text. */
export function renderTable(results: Results): string {
  const rows = [
    ...throughputRows(results),
    ...restRows('alerts over REST', results.rest),
    ...restRows('alerts in batches', results.restBatch),
    ...latencyRows(results),
    ...lowRateRows(results),
    ...webhookOptionsRows(results),
    ...scaleOutRows(results),
    ...growthRows(results),
    ...authRows(results),
    ...memoryRows(results),
    ...idleRows(results),
    ...costRows(results),
    ...pollsRows(results),
  ];
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  return rows
    .map(([label, value, detail = '']) =>
      `${label.padEnd(width(0))}  ${value.padStart(width(1))}  ${detail}`.trimEnd(),
    )
    .join('\n');
}

function throughputRows({ throughput }: Results): Row[] {
  if (throughput === undefined) return [];
  const { worker, bareLoop, bareLoopWhilePublishing, ratio, cpuMicros, oneWebhook } = throughput;
  return [
    ['deliveries a second', count(worker.median), range(worker)],
    ['bare loop, full queue', count(bareLoop.median), range(bareLoop)],
    ['bare loop, while publishing', count(bareLoopWhilePublishing)],
    ['ratio to the bare loop', ratio.toFixed(2)],
    ['CPU of a delivery', micros(cpuMicros.worker), shares(cpuMicros.worker)],
    ['CPU of the bare loop', micros(cpuMicros.bareLoop), shares(cpuMicros.bareLoop)],
    ['alerts with one webhook a second', count(oneWebhook.worker.median), range(oneWebhook.worker)],
    ['ratio with one webhook', oneWebhook.ratio.toFixed(2)],
    ['CPU of a delivery, one webhook', micros(oneWebhook.cpuMicros), shares(oneWebhook.cpuMicros)],
  ];
}

function restRows(name: string, rest: RestResult | undefined): Row[] {
  if (rest === undefined) return [];
  const { published, delivered, cpuMicros, steady } = rest;
  const requests = `request at ${steady.perSecond}/s`;
  const arrivals = `publish to arrival at ${steady.perSecond}/s`;
  return [
    [`${name}, published a second`, count(published.median), range(published)],
    [`${name}, delivered a second`, count(delivered.median), range(delivered)],
    [`${name}, CPU of an alert`, micros(cpuMicros), shares(cpuMicros)],
    [`${name}, ${requests}`, `p99 ${formatMs(steady.requestMs.p99)}`, lowerPercentiles(steady.requestMs)],
    [`${name}, ${arrivals}`, `p99 ${formatMs(steady.latencyMs.p99)}`, lowerPercentiles(steady.latencyMs)],
  ];
}

function latencyRows({ latency = [] }: Results): Row[] {
  return latency.map(({ perSecond, latencyMs }) => [
    `latency at ${perSecond}/s`,
    `p99 ${formatMs(latencyMs.p99)}`,
    lowerPercentiles(latencyMs),
  ]);
}

function lowRateRows({ lowRate = [] }: Results): Row[] {
  return lowRate.flatMap(({ perSecond, worker, bareLoop }) =>
    Object.entries({ worker, 'bare loop': bareLoop }).flatMap(([name, { cpuMicros, latencyMs }]): Row[] => [
      [`CPU of a delivery at ${perSecond}/s, ${name}`, micros(cpuMicros), shares(cpuMicros)],
      [
        `publish to arrival at ${perSecond}/s, ${name}`,
        `p99 ${formatMs(latencyMs.p99)}`,
        lowerPercentiles(latencyMs),
      ],
    ]),
  );
}

function webhookOptionsRows({ webhookOptions = [] }: Results): Row[] {
  return webhookOptions.flatMap(({ options, perSecond, cpuMicros }): Row[] => [
    [`deliveries a second, ${options}`, count(perSecond.median), range(perSecond)],
    [`CPU of a delivery, ${options}`, micros(cpuMicros), shares(cpuMicros)],
  ]);
}

function scaleOutRows({ scaleOut = [] }: Results): Row[] {
  return scaleOut.map(({ workers, perSecond, cpuMicros }) => [
    `deliveries a second, ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    count(perSecond),
    shares(cpuMicros),
  ]);
}

function growthRows({ growth = [] }: Results): Row[] {
  return growth.flatMap(({ deliveries, latencyMs }) =>
    Object.entries(latencyMs).map(
      ([query, times]): Row => [
        `${count(deliveries)} deliveries: ${query}`,
        `p99 ${formatMs(times.p99)}`,
        lowerPercentiles(times),
      ],
    ),
  );
}

function authRows({ auth }: Results): Row[] {
  if (auth === undefined) return [];
  return [
    [
      'GET webhooks a second',
      count(auth.listWebhooks.perSecond),
      lowerPercentiles(auth.listWebhooks.latencyMs),
    ],
    [
      'verify a second, cached key',
      count(auth.verifyCachedKey.perSecond),
      lowerPercentiles(auth.verifyCachedKey.latencyMs),
    ],
    [
      'verify a second, token',
      count(auth.verifyToken.perSecond),
      lowerPercentiles(auth.verifyToken.latencyMs),
    ],
    ['first check of a key', `p99 ${formatMs(auth.firstCheckMs.p99)}`, lowerPercentiles(auth.firstCheckMs)],
  ];
}

function memoryRows({ memory }: Results): Row[] {
  if (memory === undefined) return [];
  const { firstFifthMb, lastFifthMb, minutes, deliveries } = memory;
  return [
    ['memory of a worker, first fifth', `${count(firstFifthMb.median)} MB`, range(firstFifthMb)],
    [
      'memory of a worker, last fifth',
      `${count(lastFifthMb.median)} MB`,
      `${range(lastFifthMb)}, after ${minutes} min and ${count(deliveries)} deliveries`,
    ],
  ];
}

function idleRows({ idle }: Results): Row[] {
  if (idle === undefined) return [];
  return Object.entries({ own: idle.own, servers: idle.servers }).flatMap(([kind, processes]) =>
    [{ name: `${kind} processes`, ...totalOf(processes) }, ...processes].map(
      ({ name, cpuPercent, memoryMb }): Row => [
        `idle, ${name}`,
        `${cpuPercent.toFixed(1)} % of a core`,
        `${count(memoryMb)} MB`,
      ],
    ),
  );
}

function costRows({ cost = [] }: Results): Row[] {
  return cost.flatMap(({ load, bytes, walBytes, hotShare, cpuMicros }): Row[] => {
    const label = load === 'burst' ? 'burst' : `${count(load)}/s`;
    const tables = Object.entries(bytes).map(([table, { heap, indexes, toast }]) => ({
      table,
      total: heap + indexes + toast,
      detail: `${table} ${count(heap + toast)} + ${count(indexes)} indexes`,
    }));
    const total = tables.reduce((sum, table) => sum + table.total, 0);
    return [
      [`bytes of a delivery, ${label}`, count(total), tables.map(({ detail }) => detail).join(', ')],
      [`WAL bytes of a delivery, ${label}`, count(walBytes)],
      [`HOT updates of deliveries, ${label}`, `${Math.round(hotShare * 100)} %`],
      [`CPU of a delivery, ${label}`, micros(cpuMicros), shares(cpuMicros)],
    ];
  });
}

function pollsRows({ polls = [] }: Results): Row[] {
  return polls.map(({ server, page, people, requestsPerSecond, cpuMicros, cpuPercent }) => [
    `${server}, ${people} people on ${page}`,
    `${cpuPercent.toFixed(1)} % of a core`,
    `${requestsPerSecond.toFixed(1)} requests a second, ${count(cpuMicros)} µs each`,
  ]);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function range({ min, max }: Spread): string {
  return `${count(min)} to ${count(max)}`;
}

function lowerPercentiles({ p50, p95 }: Percentiles): string {
  return `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`;
}

function micros(shares: Record<string, number>): string {
  return `${count(sumOf(shares))} µs`;
}

function shares(parts: Record<string, number>): string {
  return Object.entries(parts)
    .map(([name, share]) => `${name} ${count(share)}`)
    .join(', ');
}
