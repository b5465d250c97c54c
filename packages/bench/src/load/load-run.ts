import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { monotonicMs } from '../measure/clock.js';
import { type AlertFacts, createAlertContent } from './alert-content.js';
import type { AlertPublisher, Route } from './amqp-publisher.js';
import { openRestPublisher, type RestResponses, type RestTarget } from './rest-publisher.js';

export interface LoadRunOptions extends AlertFacts {
  /** The run ends after this number of alerts. */
  alerts: number;
  /** Publish rate in alerts per second. By default, alerts are published as fast as they are confirmed. */
  alertsPerSecond?: number | undefined;
  /** Maximum number of unconfirmed alerts in a run without a rate. Default: 1,000. */
  maxUnconfirmed?: number | undefined;
  /** Exchange and routing key. By default, those of alert-fired messages. */
  route?: Route;
  /** If set, every second alert is published to this target over REST. */
  rest?: RestTarget;
}

/**
 * Times of each published alert, by its sequence number, in milliseconds of the monotonic clock: its first publish
 * (`offeredAtMs`), and its confirmation by the broker or the API (`acceptedAtMs`; 0 if it was not confirmed).
 */
export interface LoadResult {
  offeredAtMs: Float64Array;
  acceptedAtMs: Float64Array;
  /** Time at which the last alert was confirmed. */
  endedAtMs: number;
  /** Responses of the API. Undefined if the run has no REST target. */
  responses: RestResponses | undefined;
}

export interface LoadProgress {
  offered: number;
  accepted: number;
  /** Number of alerts in flight, by protocol. */
  inFlight: { amqp: number; rest: number };
}

/**
 * Selects alerts that were published for the first time at `sinceMs` or later, and whose confirmation took at least
 * `minimumMs`.
 */
export interface AcceptanceDelay {
  sinceMs: number;
  minimumMs: number;
}

export interface LoadRun {
  progress(): LoadProgress;
  /** Counts the alerts that `delay` selects. For an alert that is not confirmed yet, the time until now counts. */
  countDelayed(delay: AcceptanceDelay): number;
  /** Resolves when every alert of the run is confirmed. */
  finished: Promise<void>;
  /** Stops publishing new alerts. Alerts that are not confirmed yet are still retried. */
  stop(): void;
  /** Stops the run and its retries over REST, and returns the result. */
  end(): Promise<LoadResult>;
}

const tickMs = 2;
/** Number of unconfirmed alerts that keeps the broker busy without filling its memory. */
const defaultMaxUnconfirmed = 1_000;

export function startLoadRun(options: LoadRunOptions, amqp: AlertPublisher): LoadRun {
  const { alerts, alertsPerSecond, maxUnconfirmed = defaultMaxUnconfirmed } = options;
  const { route = { exchange: alertsExchange, routingKey: alertFiredKey } } = options;
  const rest = options.rest && openRestPublisher(options.rest);
  const publishers = rest === undefined ? [amqp] : [amqp, rest];
  const contentOf = createAlertContent(options);
  const offeredAtMs = new Float64Array(alerts);
  const acceptedAtMs = new Float64Array(alerts);
  const startedAtMs = monotonicMs();
  let offered = 0;
  let accepted = 0;
  let endedAtMs = startedAtMs;
  let stopped = false;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const offerDue = () => {
    if (stopped) return;
    const due =
      alertsPerSecond === undefined
        ? accepted + maxUnconfirmed
        : Math.floor(((monotonicMs() - startedAtMs) / 1_000) * alertsPerSecond) + 1;
    for (const end = Math.min(alerts, due); offered < end; offered += 1) offer(offered);
  };
  const offer = (sequence: number) => {
    const onAccepted = () => {
      endedAtMs = monotonicMs();
      acceptedAtMs[sequence] = endedAtMs;
      accepted += 1;
      if (accepted === alerts) finish();
      else if (alertsPerSecond === undefined) offerDue();
    };
    offeredAtMs[sequence] = monotonicMs();
    publishers[sequence % publishers.length]!.publish({ content: contentOf(sequence), route, onAccepted });
  };
  const timer = alertsPerSecond === undefined ? undefined : setInterval(offerDue, tickMs);
  offerDue();
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };

  return {
    progress: () => ({
      offered,
      accepted,
      inFlight: { amqp: amqp.inFlight(), rest: rest?.inFlight() ?? 0 },
    }),
    countDelayed({ sinceMs, minimumMs }) {
      const nowMs = monotonicMs();
      const delayMs = (sequence: number) => (acceptedAtMs[sequence] || nowMs) - offeredAtMs[sequence]!;
      return offeredAtMs
        .slice(0, offered)
        .filter((atMs, sequence) => atMs >= sinceMs && delayMs(sequence) >= minimumMs).length;
    },
    finished,
    stop,
    async end() {
      stop();
      await rest?.close();
      return {
        offeredAtMs: offeredAtMs.slice(0, offered),
        acceptedAtMs: acceptedAtMs.slice(0, offered),
        endedAtMs,
        responses: rest?.responses(),
      };
    },
  };
}
