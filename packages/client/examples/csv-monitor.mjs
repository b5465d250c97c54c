#!/usr/bin/env node
/**
 * A monitor: reads a CSV file of metric values and fires an alert at each crossing of a bound. A crossing is the first
 * value strictly above the upper bound, or strictly below the lower bound.
 *
 *   node csv-monitor.mjs metrics.csv --model-id UUID --model-name churn --above 0.4=RULE_ID --below 0.1=RULE_ID [--once]
 *
 * The CSV file has a header. The columns `time` (ISO 8601) and `value` are read, other columns are ignored. The program
 * waits for lines that are appended later. With --once it ends at the end of the file.
 *
 * If TOCSIN_AMQP_URL is set, alerts are published over AMQP. Otherwise they are published over HTTP with
 * TOCSIN_API_URL, TOCSIN_ISSUER, TOCSIN_CLIENT_ID and TOCSIN_CLIENT_SECRET. TOCSIN_WORKSPACE is the id of the
 * workspace.
 */
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ClientCredentialsSession, createAmqpPublisher, createHttpPublisher } from '@tocsin/client';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    above: { type: 'string' },
    below: { type: 'string' },
    'model-id': { type: 'string' },
    'model-name': { type: 'string', default: 'model' },
    once: { type: 'boolean', default: false },
  },
});
const [file] = positionals;
const watches = [parseWatch('upper_bound', options.above), parseWatch('lower_bound', options.below)].filter(
  (watch) => watch !== undefined,
);
if (file === undefined || options['model-id'] === undefined || watches.length === 0) {
  console.error(
    'usage: csv-monitor.mjs FILE --model-id UUID [--above LIMIT=RULE_ID] [--below LIMIT=RULE_ID] [--once]',
  );
  process.exit(2);
}

const publisher = await openPublisher(process.env);
let unpublished = 0;
for await (const { time, value } of readMetrics(file)) {
  for (const watch of watches) {
    const beyond = isBeyond(watch, value);
    if (beyond && !watch.beyond) await fire(watch, { time, value });
    watch.beyond = beyond;
  }
}
await publisher.close();
process.exitCode = unpublished > 0 ? 1 : 0;

/** Parses an option such as `0.4=RULE_ID`. */
function parseWatch(bound, text) {
  if (text === undefined) return undefined;
  const [limit, ruleId] = text.split('=');
  const threshold = Number(limit);
  if (limit.trim() === '' || Number.isNaN(threshold) || !ruleId) {
    console.error(`${text} must be written LIMIT=RULE_ID, for example 0.4=3f0c…`);
    process.exit(2);
  }
  return { bound, threshold, ruleId, beyond: false };
}

/** Returns false for a value that is equal to the bound. */
function isBeyond({ bound, threshold }, value) {
  return bound === 'upper_bound' ? value > threshold : value < threshold;
}

/**
 * Publishes an alert. Prints the whole alert if the broker has not confirmed it, so that the user can publish it again.
 */
async function fire({ bound, threshold, ruleId }, { time, value }) {
  try {
    const fired = await publisher.publish({
      alert_rule_id: ruleId,
      model_id: options['model-id'],
      model_name: options['model-name'],
      fired_at: time,
      metric_value: value,
      threshold,
      bound,
    });
    console.log(`${time} ${value} crossed ${bound} ${threshold}: alert ${fired.alert_id}`);
  } catch (error) {
    unpublished += 1;
    console.error(error.message);
    console.error(JSON.stringify(error.alert));
  }
}

function openPublisher(env) {
  const workspaceId = env.TOCSIN_WORKSPACE ?? '';
  if (env.TOCSIN_AMQP_URL) return createAmqpPublisher({ url: env.TOCSIN_AMQP_URL, workspaceId });
  const credential = new ClientCredentialsSession({
    issuer: env.TOCSIN_ISSUER ?? '',
    clientId: env.TOCSIN_CLIENT_ID ?? '',
    clientSecret: env.TOCSIN_CLIENT_SECRET ?? '',
  });
  return createHttpPublisher({ url: env.TOCSIN_API_URL ?? '', credential, workspaceId });
}

/** Yields the rows with a time and a number. Prints and skips all other rows. */
async function* readMetrics(path) {
  let header;
  for await (const line of followLines(path)) {
    const cells = line.split(',').map((cell) => cell.trim());
    if (header === undefined) {
      header = cells;
      continue;
    }
    const time = new Date(cells[header.indexOf('time')]);
    const text = cells[header.indexOf('value')] ?? '';
    const value = Number(text);
    if (text === '' || !Number.isFinite(value) || Number.isNaN(time.getTime())) {
      console.error(`Skipped: ${line}`);
    } else {
      yield { time: time.toISOString(), value };
    }
  }
}

/** Yields complete lines, including lines that are appended later. */
async function* followLines(path) {
  const handle = await open(path);
  const buffer = Buffer.alloc(65_536);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) {
        if (options.once) break;
        await sleep(500);
        continue;
      }
      const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  } finally {
    await handle.close();
  }
}
