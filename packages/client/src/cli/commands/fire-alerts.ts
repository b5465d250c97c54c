import { randomUUID } from 'node:crypto';
import { messageOf } from '@tocsin/kit';
import { ApiError } from '../../api/errors.js';
import type { AlertAccepted, PublishAlert } from '../../api/schemas.js';
import { AlertNotPublishedError } from '../../publish/alert-publisher.js';
import type { ConnectedContext } from '../action.js';
import { connectBroker, connectPlatform, requireWorkspace } from '../connect.js';
import { CommandFailure, exitCodeOf, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { readAlerts } from '../read-alerts.js';
import { nameOf } from '../read-input.js';
import { retryWhenLimited } from '../retry-when-limited.js';
import { type NamedAlert, type Outcome, publishBatch, splitIntoBatches } from './fire-batch.js';

export interface FireFlags {
  rule?: string;
  modelId?: string;
  modelName?: string;
  value?: number;
  threshold?: number;
  bound?: 'upper_bound' | 'lower_bound';
  alertId?: string;
  state?: 'firing' | 'resolved';
  label?: Record<string, string>;
  annotation?: Record<string, string>;
  batch?: boolean;
  amqp?: boolean;
  declare: boolean;
}

/** Maximum number of alerts, or of batches with `--batch`, that are published at the same time. */
const atOnce = 16;

/** Publishes one alert from flags, or many from a file, and reports each alert that was not confirmed. */
export async function fireAlerts(context: ConnectedContext<FireFlags>): Promise<void> {
  const {
    args: [file],
    options,
    io,
    out,
    signal,
  } = context;
  const alerts = file === undefined ? [fromFlags(options)] : await readFile(file, io);
  const publisher = await openPublisher(context);
  const accepted: AlertAccepted[] = [];
  const failures: unknown[] = [];
  // All calls with the same alert send the same id and time.
  const firedAt = new Date(io.clock.now()).toISOString();
  const named = alerts.map((alert) => ({
    fired_at: firedAt,
    ...alert,
    alert_id: alert.alert_id ?? randomUUID(),
  }));
  const batches = options.batch ? splitIntoBatches(named) : named.map((alert) => [alert]);
  const waiting = batches.values();
  const worker = async () => {
    for (const batch of waiting) {
      if (signal.aborted) return;
      for (const { alert, error } of await publisher.publish(batch)) {
        if (error === undefined) accepted.push({ alert_id: alert.alert_id });
        else {
          failures.push(error);
          out.note(`Not confirmed: alert ${alert.alert_id}: ${describe(error)}`);
        }
      }
      if (alerts.length > 1) out.progress(`${accepted.length + failures.length} of ${alerts.length}…`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, batches.length) }, worker));
  await publisher.close();
  out.progress(undefined);
  out.value(file === undefined ? (accepted[0] ?? null) : accepted, () => {
    for (const { alert_id } of accepted) out.line(alert_id);
  });
  signal.throwIfAborted();
  if (failures.length > 0) {
    throw new CommandFailure(
      exitCodeOf(failures[0]),
      `${failures.length} of ${alerts.length} alerts were not confirmed.`,
    );
  }
}

interface Publisher {
  /** Returns one result for each alert, in the same order. */
  publish(batch: NamedAlert[]): Promise<Outcome[]>;
  close(): Promise<void>;
}

async function openPublisher(context: ConnectedContext<FireFlags>): Promise<Publisher> {
  const { settings, options, io, signal } = context;
  if (!options.amqp) {
    if (!options.declare) throw new CommandFailure(exitCodes.usage, '--no-declare is for --amqp.');
    requireWorkspace(settings);
    const platform = connectPlatform(settings, io.clock);
    const deps = { clock: io.clock, signal };
    return {
      publish: options.batch
        ? (batch) => publishBatch(platform, batch, deps)
        : singly((alert) => retryWhenLimited(deps, () => platform.alerts.fire(alert, { signal }))),
      close: async () => {},
    };
  }
  if (options.batch) throw new CommandFailure(exitCodes.usage, '--batch is for alerts over the API.');
  const publisher = await connectBroker(settings, { declare: options.declare, clock: io.clock });
  return {
    publish: singly((alert) => publisher.publish(alert, { signal })),
    close: () => publisher.close(),
  };
}

function singly(publish: (alert: NamedAlert) => Promise<unknown>): Publisher['publish'] {
  return (batch) =>
    Promise.all(
      batch.map((alert) =>
        publish(alert).then(
          () => ({ alert }),
          (error: unknown) => ({ alert, error }),
        ),
      ),
    );
}

function fromFlags(flags: FireFlags): PublishAlert {
  const { rule, modelId, modelName, value } = flags;
  if (rule === undefined || modelId === undefined || modelName === undefined || value === undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      'Give --rule, --model-id, --model-name and --value, or a file.',
    );
  }
  return {
    alert_rule_id: rule,
    model_id: modelId,
    model_name: modelName,
    metric_value: value,
    threshold: flags.threshold,
    bound: flags.bound,
    alert_id: flags.alertId,
    state: flags.state,
    labels: flags.label,
    annotations: flags.annotation,
  };
}

async function readFile(file: string, io: Io): Promise<PublishAlert[]> {
  return (await readAlerts(file, io)).map((read) => {
    const value = 'value' in read ? read.value : undefined;
    if (typeof value === 'object' && value !== null) return value as PublishAlert;
    const why = 'problem' in read ? read.problem : 'is not a JSON object';
    throw new CommandFailure(exitCodes.usage, `${nameOf(file)}: entry ${read.entry} ${why}.`);
  });
}

function describe(error: unknown): string {
  // The message of an AlertNotPublishedError begins with the alert's id, which the output already shows. Only the cause
  // is described.
  if (error instanceof AlertNotPublishedError) return describe(error.cause);
  const places =
    error instanceof ApiError ? error.errors.map(({ path, message }) => ` ${path} ${message};`) : [];
  return `${messageOf(error)}${places.join('')}`;
}
