import { setTimeout as sleep } from 'node:timers/promises';
import { waitForArrivals } from '../destination/start-destination.js';
import { alertIdOf } from '../load/alert-ids.js';
import { monotonicMs } from '../measure/clock.js';
import type { Fixtures } from '../test-bed/fixtures.js';
import type { TestBed } from '../test-bed/test-bed.js';
import { readAcceptTimes } from './isolation-repository.js';

/** Latencies of single alerts in milliseconds, measured from the publish. */
export interface ProbeLatencies {
  arrivalMs: number[];
  /** Time until a worker began to write the alert. */
  acceptMs: number[];
}

export interface ProbeOptions {
  testBed: TestBed;
  /** A rule with one webhook at the destination of the test bed. */
  fixtures: Fixtures;
}

interface Probe {
  alertId: string;
  publishedAtMs: number;
  arrivalMs: number;
}

/**
 * Maximum number of probes. Each takes at least one second, so the probing ends after an hour or more, even if `work`
 * never ends.
 */
const maxProbes = 3_600;

/**
 * Publishes single alerts, at most one per second, while `work` runs. Returns the result of `work` and the latencies of
 * the alerts.
 */
export async function probeDuring<T>(
  work: () => Promise<T>,
  options: ProbeOptions,
): Promise<[T, ProbeLatencies]> {
  let ended = false;
  const working = work().finally(() => {
    ended = true;
  });
  const probeUntilEnded = async (): Promise<Probe[]> => {
    const probes: Probe[] = [];
    while (probes.length < maxProbes && !ended) probes.push(await probe(options));
    return probes;
  };
  const probing = probeUntilEnded();
  // Both promises must settle before an error is thrown, because the caller then stops the test bed that they use.
  await Promise.allSettled([working, probing]);
  const [result, probes] = [await working, await probing];
  return [result, await toLatencies(probes, options)];
}

/** Publishes one alert. Resolves when its delivery has arrived, but not before one second has passed. */
async function probe({ testBed, fixtures }: ProbeOptions): Promise<Probe> {
  const { destination, generator } = testBed;
  const load = { run: testBed.nextRun(), alerts: 1 };
  await destination.call('startRun', { ...load, webhooks: 1 });
  const publishing = generator.call('publishAll', { ...load, target: fixtures });
  const [{ offeredAtMs }] = await Promise.all([publishing, sleep(1_000)]);
  await waitForArrivals(destination, 1);
  const { firstArrivalMs } = await destination.call('arrivals', undefined);
  const publishedAtMs = offeredAtMs[0]!;
  return { alertId: alertIdOf(load.run, 0), publishedAtMs, arrivalMs: firstArrivalMs[0]! - publishedAtMs };
}

async function toLatencies(probes: Probe[], { testBed, fixtures }: ProbeOptions): Promise<ProbeLatencies> {
  const acceptTimes = await readAcceptTimes(testBed.database, fixtures.workspaceId);
  const monotonicToUnixMs = Date.now() - monotonicMs();
  return {
    arrivalMs: probes.map(({ arrivalMs }) => arrivalMs),
    acceptMs: probes.map(
      ({ alertId, publishedAtMs }) => acceptTimes.get(alertId)! - monotonicToUnixMs - publishedAtMs,
    ),
  };
}
