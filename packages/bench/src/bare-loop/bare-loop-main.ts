/**
 * The loop that the worker is held against: what the same clients do with nothing around them. It consumes from a
 * quorum queue (prefetch 400), renders a compiled template, posts with keep-alive, inserts rows in batches with
 * `unnest`, and acknowledges many at once after their commit. No claims, no retries, no guard, no record of attempts:
 * it loses and repeats where the worker does not.
 */

import { type Channel, type ChannelModel, connect } from 'amqplib';
import pg from 'pg';
import { Pool } from 'undici';
import { serveCommands } from '../test-bed/helper-process.js';
import { createPoster, type Poster } from './poster.js';
import { createRowWriter, type RowWriter } from './row-writer.js';

export interface BareLoopOptions {
  amqpUrl: string;
  databaseUrl: string;
  queue: string;
  origin: string;
  prefetch: number;
  connections: number;
}

interface Alert {
  alert_id: string;
  alert_rule_id: string;
  model_name: string;
  metric_value: number;
  threshold: number;
  bound: string;
  fired_at: string;
  workspace_id: string;
}

let model: ChannelModel | undefined;
let channel: Channel | undefined;
let consumerTag = '';
let poster: Poster | undefined;
let rows: RowWriter | undefined;

async function start(options: BareLoopOptions): Promise<void> {
  model = await connect(options.amqpUrl, { noDelay: true });
  const opened = await model.createChannel();
  channel = opened;
  await opened.prefetch(options.prefetch);
  const post = createPoster(new Pool(options.origin, { connections: options.connections, pipelining: 1 }));
  poster = post;
  rows = await createRowWriter(
    () => new pg.Client({ connectionString: options.databaseUrl }),
    createPrefixAck(opened),
  );
  const writer = rows;
  const reply = await opened.consume(options.queue, (message) => {
    if (message === null) return;
    const { deliveryTag } = message.fields;
    const alert = JSON.parse(message.content.toString()) as Alert;
    const body = render(alert);
    post.post(body, (statusCode, response) =>
      writer.add({ deliveryTag, alertId: alert.alert_id, statusCode, response, body }),
    );
  });
  consumerTag = reply.consumerTag;
}

/** The benchmark's template as a compiler would leave it. */
function render(alert: Alert): string {
  return `{"alert_id":"${alert.alert_id}","text":"${jsonText(`tocsin bench: ${alert.model_name}`)} is at ${alert.metric_value}","rule":"${alert.alert_rule_id}","threshold":${alert.threshold.toFixed(2)},"bound":"${alert.bound}","fired_at":"${alert.fired_at}","workspace":"${alert.workspace_id}","source":"tocsin"}`;
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Acknowledges a finished prefix with one frame. */
function createPrefixAck(open: Channel): (deliveryTag: number) => void {
  return (deliveryTag) => {
    open.ack({ fields: { deliveryTag } } as Parameters<Channel['ack']>[0], true);
  };
}

const commands = {
  start,
  written: (): number => rows?.written() ?? 0,
  async stop(): Promise<void> {
    await channel?.cancel(consumerTag);
    await model?.close();
    await poster?.close();
    await rows?.close();
  },
};
export type BareLoopCommands = typeof commands;

serveCommands(commands);
