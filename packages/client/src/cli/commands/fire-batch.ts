import { toApiError, UnavailableError } from '../../api/errors.js';
import type { PlatformClient } from '../../api/platform-api.js';
import { nextRetryMs } from '../../api/retry.js';
import type { PublishAlert, PublishedAlerts } from '../../api/schemas.js';
import type { Clock } from '../../clock.js';
import { retryWhenLimited } from '../retry-when-limited.js';

export type NamedAlert = PublishAlert & { alert_id: string };

/** Result of publishing one alert. `error` is undefined if the broker has confirmed the alert. */
export interface Outcome {
  alert: NamedAlert;
  error?: unknown;
}

/** Maximum number of alerts and bytes in one request. The API accepts 500 alerts and 1 MiB. */
const maxAlerts = 500;
const maxBytes = 1_000_000;
/** Maximum number of calls of `fireBatch` with the same alert. Each call can also retry its request. */
const maxTries = 4;

export function splitIntoBatches(alerts: NamedAlert[]): NamedAlert[][] {
  const batches: NamedAlert[][] = [];
  let batch: NamedAlert[] = [];
  let bytes = 0;
  for (const alert of alerts) {
    const size = Buffer.byteLength(JSON.stringify(alert)) + 1;
    if (batch.length === 0 || batch.length === maxAlerts || bytes + size > maxBytes) {
      batch = [];
      bytes = 0;
      batches.push(batch);
    }
    batch.push(alert);
    bytes += size;
  }
  return batches;
}

/**
 * Publishes a batch. Alerts that the broker did not confirm are published again. A call that exceeds the rate limit of
 * the workspace is repeated, because other calls of the command use the limit too.
 */
export async function publishBatch(
  platform: PlatformClient,
  batch: NamedAlert[],
  deps: { clock: Clock; signal: AbortSignal },
): Promise<Outcome[]> {
  const { clock, signal } = deps;
  const outcomes = await tryOnce(platform, batch, deps);
  for (let tries = 1; ; tries += 1) {
    const unconfirmed = outcomes.filter(({ error }) => isUnavailable(error));
    const waitMs = nextRetryMs({ tries, maxTries, retryAfterMs: undefined, random: Math.random() });
    if (unconfirmed.length === 0 || waitMs === undefined || signal.aborted) return outcomes;
    await clock.sleep(waitMs, signal).catch(() => {});
    const repeated = await tryOnce(
      platform,
      unconfirmed.map(({ alert }) => alert),
      deps,
    );
    for (const [index, outcome] of unconfirmed.entries()) outcome.error = repeated[index]!.error;
  }
}

/** Calls `fireBatch` once. If the whole call fails, its error is the result of each alert. */
async function tryOnce(
  platform: PlatformClient,
  batch: NamedAlert[],
  deps: { clock: Clock; signal: AbortSignal },
): Promise<Outcome[]> {
  const { signal } = deps;
  try {
    const entries = await retryWhenLimited(deps, () => platform.alerts.fireBatch(batch, { signal }));
    return batch.map((alert, index) => ({ alert, error: errorOf(entries[index]!) }));
  } catch (error) {
    return batch.map((alert) => ({ alert, error }));
  }
}

function errorOf(entry: PublishedAlerts[number]): unknown {
  if (entry.status === 202) return undefined;
  const text = JSON.stringify(entry);
  return toApiError({ status: entry.status, text, isProblem: true, retryAfterMs: undefined });
}

function isUnavailable(error: unknown): boolean {
  return error instanceof UnavailableError;
}
