/** Offers alerts at a steady rate, in turn through both doors, until it is told to stop. */

import { monotonicMs } from '../measure/clock.js';
import { serveCommands } from '../test-bed/helper-process.js';
import { type AlertTemplate, contentOf } from './alert-content.js';
import { openAmqpDoor } from './amqp-publisher.js';
import { openRestDoor, type RestAnswers } from './rest-publisher.js';

export interface DoorsRun extends AlertTemplate {
  /** Alerts at the most. */
  capacity: number;
  perSecond: number;
  amqpUrl: string;
  alertsUrl: string;
  token: string;
}

export interface Offered {
  /** By sequence, on the machine's monotonic clock in milliseconds; zero where it has not happened. */
  offeredAtMs: Float64Array;
  acceptedAtMs: Float64Array;
  answers: RestAnswers;
}

interface Running {
  stop(): void;
  progress(): {
    offered: { amqp: number; rest: number; all: number };
    accepted: number;
    /** Offered, and neither accepted nor refused yet. */
    inFlight: { amqp: number; rest: number };
  };
  keptWaiting(asked: KeptWaiting): number;
  result(): Offered;
}

interface KeptWaiting {
  /** On the machine's monotonic clock. */
  sinceMs: number;
  forMs: number;
}

const tickMs = 5;
let running: Running | undefined;

function run(options: DoorsRun): Running {
  const offeredAtMs = new Float64Array(options.capacity);
  const acceptedAtMs = new Float64Array(options.capacity);
  let offered = 0;
  let accepted = 0;
  const onAccepted = (sequence: number) => {
    acceptedAtMs[sequence] = monotonicMs();
    accepted += 1;
  };
  const common = { onAccepted, contentOf: (sequence: number) => contentOf(options, sequence) };
  const amqp = openAmqpDoor({ url: options.amqpUrl, ...common });
  const rest = openRestDoor({ url: options.alertsUrl, token: options.token, ...common });
  const startedAtMs = monotonicMs();
  const timer = setInterval(() => {
    const due = Math.min(
      options.capacity,
      Math.floor(((monotonicMs() - startedAtMs) / 1_000) * options.perSecond) + 1,
    );
    for (; offered < due; offered += 1) {
      offeredAtMs[offered] = monotonicMs();
      (offered % 2 === 0 ? amqp : rest).offer(offered);
    }
  }, tickMs);
  return {
    stop: () => clearInterval(timer),
    progress: () => ({
      offered: { amqp: Math.ceil(offered / 2), rest: Math.floor(offered / 2), all: offered },
      accepted,
      inFlight: { amqp: amqp.inFlight(), rest: rest.inFlight() },
    }),
    keptWaiting({ sinceMs, forMs }) {
      const nowMs = monotonicMs();
      const waitedMs = (sequence: number) => (acceptedAtMs[sequence] || nowMs) - offeredAtMs[sequence]!;
      return offeredAtMs
        .slice(0, offered)
        .filter((atMs, sequence) => atMs >= sinceMs && waitedMs(sequence) >= forMs).length;
    },
    result() {
      clearInterval(timer);
      amqp.close();
      rest.close();
      return {
        offeredAtMs: offeredAtMs.slice(0, offered),
        acceptedAtMs: acceptedAtMs.slice(0, offered),
        answers: rest.answers(),
      };
    },
  };
}

function current(): Running {
  if (running === undefined) throw new Error('Call begin first.');
  return running;
}

const commands = {
  begin(options: DoorsRun): void {
    running = run(options);
  },
  /** Offers no more; what is offered goes on until it is accepted. */
  stop: (): void => current().stop(),
  progress: () => current().progress(),
  /** Alerts offered since then that have waited for so long to be accepted, or wait still. */
  keptWaiting: (asked: KeptWaiting): number => current().keptWaiting(asked),
  /** Gives up what has not been accepted. */
  result: (): Offered => current().result(),
};
export type DoorsCommands = typeof commands;

serveCommands(commands);
