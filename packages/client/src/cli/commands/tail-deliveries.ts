import { isEndedStatus } from '@tocsin/contracts';
import { ApiError } from '../../api/errors.js';
import type { Delivery } from '../../api/schemas.js';
import { isTransient } from '../../is-transient.js';
import type { PlatformContext } from '../action.js';
import { deliveryColors, describeResponse } from '../delivery-columns.js';
import { type SearchFlags, searchOf } from '../delivery-filters.js';
import type { Output } from '../output.js';
import { printable } from '../text.js';

const pollMs = 1_000;
/** Maximum number of open deliveries that one poll reads again. More would exceed the rate limit of the API. */
const recheckedAtOnce = 8;

/**
 * Prints each delivery that matches the filter: when it appears, and when its status or number of attempts changes,
 * until it has ended. Continues until the signal is aborted or nobody reads the output. Without `--since`, only new
 * deliveries are printed. A redelivery keeps the time of its delivery, and an alert that a user dispatches gives its
 * own time to its deliveries, so both are missing if that time is older.
 */
export async function tailDeliveries(context: PlatformContext<SearchFlags>): Promise<void> {
  const { options, platform, io, out, signal } = context;
  // This function itself applies the filters `status`, `status_code` and `error_code` after each change of a delivery.
  // The API would apply them to the state at the time of the request, and omit a delivery that matches only later.
  const { status, status_code, error_code, ...filter } = searchOf(options);
  const seen = new Map<string, string>();
  const open = new Map<string, Delivery>();
  let since = filter.since;

  const note = (delivery: Delivery) => {
    const state = `${delivery.status} ${delivery.attempts_made}`;
    if (seen.get(delivery.id) === state) return;
    seen.set(delivery.id, state);
    if (isEndedStatus(delivery.status)) open.delete(delivery.id);
    else open.set(delivery.id, delivery);
    const wanted = status === undefined || delivery.status === status;
    const matches = status_code === undefined || delivery.response?.status_code === status_code;
    const failsSo = error_code === undefined || delivery.error_code === error_code;
    if (wanted && matches && failsSo) print(delivery, out);
  };

  const round = async () => {
    since ??= await afterNewest(context);
    const found = await listNewest(platform.deliveries.list({ ...filter, since, limit: 1000 }, { signal }));
    if (found.length >= listedAtOnce) out.note(`Only the newest ${listedAtOnce} deliveries are shown.`);
    for (const delivery of found.reverse()) note(delivery);
    since = later(since, found.at(-1)?.created_at);
    for (const { id } of [...open.values()].slice(0, recheckedAtOnce)) {
      const delivery = await platform.deliveries.get(id, { signal });
      // The delivery moves to the end of the map, so that the next poll reads other open deliveries.
      open.delete(id);
      if (!isEndedStatus(delivery.status)) open.set(id, delivery);
      note(delivery);
    }
    forgetOldest(seen, open);
  };

  while (!io.stdout.isClosed) {
    let waitMs = pollMs;
    try {
      await round();
    } catch (error) {
      if (!isTransient(error)) throw error;
      out.note(`${(error as Error).message} Trying again…`);
      if (error instanceof ApiError) waitMs = Math.max(pollMs, error.retryAfterMs ?? 0);
    }
    await io.clock.sleep(waitMs, signal);
  }
}

/**
 * Assumed maximum time by which the clock of this machine is ahead of the clock of the API, in milliseconds. The start
 * of the time range is not earlier than this, because the API searches a long range slowly.
 */
const clockToleranceMs = 10 * 60_000;

/** Returns the time directly after the newest delivery. The API sets the times of deliveries, so its clock decides. */
async function afterNewest({ platform, io, signal }: PlatformContext<SearchFlags>): Promise<string> {
  const startMs = io.clock.now() - clockToleranceMs;
  for await (const { created_at } of platform.deliveries.list({ limit: 1 }, { signal }))
    return new Date(Math.max(startMs, Date.parse(created_at) + 1)).toISOString();
  return new Date(startMs).toISOString();
}

/** Maximum number of deliveries that one poll lists, in pages of 1,000. More would exceed the rate limit of the API. */
const listedAtOnce = 5_000;

async function listNewest(deliveries: AsyncIterable<Delivery>): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for await (const delivery of deliveries) if (found.push(delivery) >= listedAtOnce) break;
  return found;
}

/**
 * Time by which two polls overlap, in milliseconds. Deliveries can be committed in another order than they were
 * created, so a later poll can find one that is older than the newest known delivery.
 */
const overlapMs = 10_000;

function later(since: string, newest: string | undefined): string {
  if (newest === undefined) return since;
  return new Date(Math.max(Date.parse(since), Date.parse(newest) - overlapMs)).toISOString();
}

/**
 * Number of deliveries whose last state is kept in memory. If there are more, ended deliveries are forgotten. A
 * forgotten delivery may be printed again.
 */
const remembered = 20_000;

function forgetOldest(seen: Map<string, string>, open: Map<string, Delivery>): void {
  for (const id of seen.keys()) {
    if (seen.size <= remembered) return;
    if (!open.has(id)) seen.delete(id);
  }
}

function print(delivery: Delivery, out: Output): void {
  if (out.json) {
    out.jsonLine(delivery);
    return;
  }
  const { id, status, attempts_made, webhook_name, error } = delivery;
  const facts = [`try ${attempts_made}`, describeResponse(delivery), webhook_name, error ?? ''].filter(
    (fact) => fact !== '',
  );
  out.line(
    `${new Date().toISOString()}  ${printable(id)}  `,
    { text: printable(status).padEnd(9), color: deliveryColors[status] ?? 'dim' },
    `  ${printable(facts.join('  '))}`,
  );
}
