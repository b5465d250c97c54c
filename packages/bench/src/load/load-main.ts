/** Publishes alert-fired messages: as fast as confirms allow, or at a rate. */

import { type ConfirmChannel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { serveCommands } from '../test-bed/helper-process.js';
import { alertIdOf } from './alert-ids.js';

export interface LoadOptions {
  run: number;
  alerts: number;
  workspaceId: string;
  alertRuleId: string;
  /** The default exchange and a queue's name address that queue alone. */
  exchange: string;
  routingKey: string;
  /** Undefined: as fast as confirms allow. */
  perSecond?: number | undefined;
}

export interface Loaded {
  /** When each alert was handed to the client, on the machine's monotonic clock in milliseconds. */
  publishedAtMs: Float64Array;
  /** When the last one was confirmed. */
  confirmedAtMs: number;
}

/** Messages without a confirm at the most: enough to keep the broker busy, little enough to leave it its memory. */
const maxUnconfirmed = 1_000;
const tickMs = 2;

let channel: ConfirmChannel | undefined;

async function publishAll(options: LoadOptions): Promise<Loaded> {
  const open = channel;
  if (open === undefined) throw new Error('Call connect first.');
  const publishedAtMs = new Float64Array(options.alerts);
  const makeContent = createContent(options);
  const startedAtMs = monotonicMs();
  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    let confirmed = 0;
    let timer: NodeJS.Timeout | undefined;
    const onConfirm = (error: unknown) => {
      if (error) return reject(error instanceof Error ? error : new Error('The broker refused a message.'));
      confirmed += 1;
      if (confirmed === options.alerts) {
        clearInterval(timer);
        resolve();
      } else if (timer === undefined) sendDue();
    };
    const due = () =>
      options.perSecond === undefined
        ? confirmed + maxUnconfirmed
        : Math.floor(((monotonicMs() - startedAtMs) / 1_000) * options.perSecond) + 1;
    const sendDue = () => {
      const until = Math.min(options.alerts, due());
      for (; sent < until; sent += 1) {
        publishedAtMs[sent] = monotonicMs();
        open.publish(options.exchange, options.routingKey, makeContent(sent), publishOptions, onConfirm);
      }
    };
    if (options.perSecond !== undefined) timer = setInterval(sendDue, tickMs);
    sendDue();
  });
  return { publishedAtMs, confirmedAtMs: monotonicMs() };
}

const publishOptions = { persistent: true, mandatory: true, contentType: 'application/json' };

/** Everything but the id and the value is the same in each message of a run, so it is made once. */
function createContent({ run, workspaceId, alertRuleId }: LoadOptions): (sequence: number) => Buffer {
  const fields = {
    workspace_id: workspaceId,
    alert_rule_id: alertRuleId,
    fired_at: new Date().toISOString(),
    model_id: '5b0e7c4e-3d3c-4ef0-9a55-0a5f3f1c2d11',
    model_name: 'churn-prediction "eu-west"',
    threshold: 0.4,
    bound: 'upper_bound',
  };
  const constant = JSON.stringify(fields).slice(1);
  return (sequence) =>
    Buffer.from(
      `{"type":"alert.fired","version":1,"alert_id":"${alertIdOf(run, sequence)}","metric_value":${0.4 + sequence / 1e6},${constant}`,
    );
}

const commands = {
  async connect({ amqpUrl }: { amqpUrl: string }): Promise<void> {
    const connection = await connect(amqpUrl, { noDelay: true });
    channel = await connection.createConfirmChannel();
  },
  publishAll,
};
export type LoadCommands = typeof commands;

serveCommands(commands);
