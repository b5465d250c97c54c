import type { Command } from 'commander';
import type { DeadLetter } from '../../api/schemas.js';
import { runsOnPlatform } from '../action.js';
import { requireWorkspace } from '../connect.js';
import { forEachId } from '../for-each-id.js';
import type { Io } from '../io.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';
import { printable, shortTime } from '../text.js';

export function addDeadLetterCommands(deadLetters: Command, io: Io): void {
  const list = deadLetters
    .command('list')
    .description('list dead letters that were not requeued, newest first')
    .option(
      '--in-workspace',
      'only messages that name the workspace; the whole list is for admins of the deployment',
    )
    .option('--requeued', 'list dead letters that were requeued instead');
  withPageFlags(list, { limit: 50 });
  runsOnPlatform<PageFlags & { requeued?: boolean; inWorkspace?: boolean }>(
    list,
    io,
    async ({ platform, options, settings, out, signal }) => {
      const { requeued = false, inWorkspace = false } = options;
      if (inWorkspace) requireWorkspace(settings);
      const { list: listAll, listInWorkspace } = platform.deadLetters;
      const listThese = inWorkspace ? listInWorkspace : listAll;
      const found = listThese({ requeued, limit: pageSizeOf(options) }, { signal });
      await showList(found, { out, options, columns, none: 'No dead letters.' });
    },
  );

  const requeue = deadLetters
    .command('requeue')
    .argument('<id...>')
    .description('publish the messages to their queue again');
  runsOnPlatform(requeue, io, ({ platform, args: ids, out, signal }) =>
    forEachId(ids, {
      out,
      signal,
      work: (id) => platform.deadLetters.requeue(id, { signal }),
      show: ({ id, queue }) => `${id} is back on ${printable(queue)}.`,
    }),
  );
}

const columns: Column<DeadLetter>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'CREATED', value: ({ created_at }) => shortTime(created_at) },
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'DETAIL', value: ({ detail }) => detail },
  { title: 'QUEUE', value: ({ queue }) => queue },
  { title: 'BYTES', value: ({ size_bytes }) => String(size_bytes) },
];
