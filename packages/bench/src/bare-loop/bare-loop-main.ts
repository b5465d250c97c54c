/**
 * The bare loop is the reference for the worker's throughput: a consumer that does a minimum of work with the same
 * client libraries. It consumes a quorum queue (prefetch 400), renders a body, and posts it with keep-alive
 * connections. It inserts rows in batches with `unnest`. After the commit of a batch, it acknowledges many messages at
 * once. It has no claims, retries, egress checks or attempt records. A delivery whose response is an error is not
 * repeated.
 */

import { type Channel, type ChannelModel, connect } from 'amqplib';
import pg from 'pg';
import { Pool } from 'undici';
import { serveCommands } from '../test-bed/helper-process.js';
import { createPoster, type Poster } from './poster.js';
import { createRowWriter, type RowWriter } from './row-writer.js';

export interface BareLoopSettings {
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

let connection: ChannelModel | undefined;
let channel: Channel | undefined;
let consumerTag = '';
let poster: Poster | undefined;
let rows: RowWriter | undefined;

async function start(settings: BareLoopSettings): Promise<void> {
  connection = await connect(settings.amqpUrl, { noDelay: true });
  const opened = await connection.createChannel();
  channel = opened;
  await opened.prefetch(settings.prefetch);
  const post = createPoster(new Pool(settings.origin, { connections: settings.connections, pipelining: 1 }));
  poster = post;
  rows = await createRowWriter(
    () => new pg.Client({ connectionString: settings.databaseUrl }),
    createPrefixAck(opened),
  );
  const writer = rows;
  const reply = await opened.consume(settings.queue, (message) => {
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

/**
 * Renders the benchmark's body template (`delivery-body.ts`) by string concatenation. This is as much work as a
 * compiled template needs.
 */
function render(alert: Alert): string {
  return `{"alert_id":"${alert.alert_id}","text":"${jsonText(`tocsin bench: ${alert.model_name}`)} is at ${alert.metric_value}","rule":"${alert.alert_rule_id}","threshold":${alert.threshold.toFixed(2)},"bound":"${alert.bound}","fired_at":"${alert.fired_at}","workspace":"${alert.workspace_id}","source":"tocsin"}`;
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns a function that sends one acknowledgement for all messages up to the given delivery tag. */
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
    await connection?.close();
    await poster?.close();
    await rows?.close();
  },
};
export type BareLoopCommands = typeof commands;

serveCommands(commands);
