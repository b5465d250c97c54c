import type { Command } from 'commander';
import type { Attempt, DeliveryWithAttempts } from '../../api/schemas.js';
import { runsInWorkspace, runsOnPlatform, withExamples } from '../action.js';
import { deliveryColumns } from '../delivery-columns.js';
import {
  type SearchFlags,
  searchOf,
  withFilters,
  withOriginFilters,
  withSearchFilters,
} from '../delivery-filters.js';
import { describeWait } from '../describe-wait.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { parseCount, withTimeRange } from '../parse-values.js';
import { type PageFlags, pageSizeOf, showList, withCount } from '../show-list.js';
import { type CancelFlags, cancelDeliveries } from './cancel-deliveries.js';
import { type RedeliverFlags, redeliver } from './redeliver.js';
import { tailDeliveries } from './tail-deliveries.js';

export function addDeliveryCommands(deliveries: Command, io: Io): void {
  const list = withCount(withSearchFilters(deliveries.command('list')))
    .description('list deliveries, newest first')
    .option('--limit <count>', 'maximum number of results', parseCount, 50);
  runsInWorkspace<SearchFlags & PageFlags>(list, io, async ({ platform, options, out, signal }) => {
    const query = { ...searchOf(options), limit: pageSizeOf(options) };
    const found = platform.deliveries.list(query, { signal });
    await showList(found, { out, options, columns: deliveryColumns, none: 'No deliveries.' });
  });
  withExamples(list, [
    'tocsin deliveries list --status failed --since 2h',
    'tocsin deliveries list --label team=risk --error-code timeout --since 7d',
    'tocsin deliveries list --webhook ID --json',
    'tocsin deliveries list --status failed --since 1d --count',
  ]);

  const get = deliveries.command('get').argument('<id>').description('show a delivery with its attempts');
  runsOnPlatform(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await platform.deliveries.get(id, { signal }), out);
  });

  const again = withFilters(deliveries.command('redeliver').argument('[id...]'))
    .description('send deliveries again: the given ids, or all ended deliveries that match the filters')
    .option('--all', 'without a filter other than --status: all deliveries with this status; default: failed')
    .option('--no-wait', 'with filters: do not wait until all deliveries are on their way');
  runsInWorkspace<RedeliverFlags>(again, io, redeliver);
  withExamples(again, [
    'tocsin deliveries redeliver ID',
    'tocsin deliveries redeliver --webhook ID --status failed --since 1d',
    'tocsin deliveries redeliver --all --status failed',
  ]);

  const cancel = withTimeRange(withOriginFilters(deliveries.command('cancel').argument('[id...]')))
    .description('end open deliveries without sending them: the given ids, or all that match the filters')
    .option('--all', 'all open deliveries of the workspace')
    .option('--no-wait', 'with filters: do not wait until all deliveries have ended');
  runsInWorkspace<CancelFlags>(cancel, io, cancelDeliveries);
  withExamples(cancel, ['tocsin deliveries cancel ID', 'tocsin deliveries cancel --webhook ID']);

  const tail = withSearchFilters(deliveries.command('tail')).description(
    'print the deliveries of new alerts, and each change of them, until Ctrl-C; no redeliveries of older ones',
  );
  runsInWorkspace<SearchFlags>(tail, io, tailDeliveries);
  withExamples(tail, [
    'tocsin deliveries tail --webhook ID',
    'tocsin deliveries tail --json | jq .error_code',
  ]);
}

function show(delivery: DeliveryWithAttempts, out: Output): void {
  const { attempts, response, rendered, waiting_reason, ...facts } = delivery;
  out.value(delivery, () => {
    out.facts({
      ...facts,
      waiting: describeWait(delivery),
      response: response === null ? null : `${response.status_code}`,
      rendered,
    });
    for (const attempt of attempts) showAttempt(attempt, out);
  });
}

function showAttempt(attempt: Attempt, out: Output): void {
  const { number, trigger, started_at, duration_ms, destination, request_body, response, error } = attempt;
  out.line('');
  out.line({ text: `attempt ${number} (${trigger}), ${started_at}, ${duration_ms} ms`, color: 'bold' });
  out.facts({
    destination,
    error,
    'likely cause': attempt.likely_cause,
    status: response?.status_code,
    location: response?.location,
    'retry after': response?.retry_after,
    response: response === null ? null : `${response.response}${response.truncated ? '…' : ''}`,
    sent: request_body,
  });
}
