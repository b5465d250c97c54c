import type { CpuShares } from '../measure/process-usage.js';
import { formatMs, type Percentiles, percentilesOf, type Spread, spreadOf } from '../measure/statistics.js';
import { startApi } from '../test-bed/apis.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { type AlertsResult, type RestPublishing, runAlerts } from './run-alerts.js';

export interface RestResult {
  alerts: number;
  batchSize: number;
  connections: number;
  /** Alerts per second that the API published and confirmed with a response. */
  published: Spread;
  /** Deliveries per second, from the first request to the commit of the last record. */
  delivered: Spread;
  /**
   * CPU time of each process for one alert and its delivery, in microseconds. The values are those of the median run.
   */
  cpuMicros: CpuShares;
  steady: SteadyResult;
}

interface SteadyResult {
  /** Rate in alerts per second. */
  perSecond: number;
  /** Duration of a request, in milliseconds. */
  requestMs: Percentiles;
  /** Time from the request to the arrival at the destination, in milliseconds. */
  latencyMs: Percentiles;
  cpuMicros: CpuShares;
}

export interface RestOptions {
  alerts: number;
  repeats: number;
  /** Duration of the measurement at a steady rate, in seconds. */
  seconds: number;
  /** Number of alerts in a request. */
  batchSize: number;
  connections: number;
}

/** Rate of the measurement of request durations and latencies, in alerts per second. */
const steadyPerSecond = 200;

/**
 * Measures publishing over REST, with one webhook for each alert: as fast as the connections allow, and at a steady
 * rate.
 */
export async function measureRest(testBed: TestBed, options: RestOptions): Promise<RestResult> {
  const { alerts, repeats, seconds, batchSize, connections } = options;
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(1) });
  const api = await startApi(testBed, fixtures.workspaceId);
  try {
    return await withWorkers(testBed, 1, async (workers) => {
      const token = await api.accessToken();
      const rest: RestPublishing = { service: api.service, token, batchSize, connections };
      const runs: AlertsResult[] = [];
      await runAlerts(testBed, { fixtures, workers, rest, alerts: Math.ceil(alerts / 5) });
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const run = await runAlerts(testBed, { fixtures, workers, rest, alerts });
        testBed.print(
          `  ${Math.round(publishedPerSecond(run))}/s published, ${Math.round(run.perSecond)}/s delivered`,
        );
        runs.push(run);
      }
      const steady = await runAlerts(testBed, {
        fixtures,
        workers,
        rest,
        alerts: steadyPerSecond * seconds,
        alertsPerSecond: steadyPerSecond,
      });
      const requestMs = percentilesOf(steady.requestMs);
      testBed.print(
        `  at ${steadyPerSecond}/s: request p50 ${formatMs(requestMs.p50)}, p99 ${formatMs(requestMs.p99)}`,
      );
      const published = spreadOf(runs.map(publishedPerSecond));
      return {
        alerts,
        batchSize,
        connections,
        published,
        delivered: spreadOf(runs.map(({ perSecond }) => perSecond)),
        cpuMicros: runs.find((run) => publishedPerSecond(run) === published.median)?.cpuMicros ?? {},
        steady: {
          perSecond: steadyPerSecond,
          requestMs,
          latencyMs: percentilesOf(steady.latenciesMs),
          cpuMicros: steady.cpuMicros,
        },
      };
    });
  } finally {
    await api.stop();
  }
}

function publishedPerSecond({ alerts, publishSeconds }: AlertsResult): number {
  return alerts / publishSeconds;
}
