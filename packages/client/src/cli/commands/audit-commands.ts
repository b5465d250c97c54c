import type { Command } from 'commander';
import type { AuditEvent } from '../../api/schemas.js';
import { runsOnPlatform, withExamples } from '../action.js';
import { requireWorkspace } from '../connect.js';
import type { Io } from '../io.js';
import { withTimeRange } from '../parse-values.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';

interface AuditFlags extends PageFlags {
  all?: boolean;
  resource?: string;
  principal?: string;
  action?: AuditEvent['action'];
  since?: string;
  until?: string;
}

export function addAuditCommands(audit: Command, io: Io): void {
  const list = audit
    .command('list')
    .description('list the changes in the workspace, newest first; for admins of the workspace')
    .option('--resource <id>', 'only changes of this webhook, rule, delivery, job or other resource')
    .option('--principal <principal>', 'only changes by this principal, written as in the list, or by system')
    .option('--action <action>', 'only this action, such as webhook.updated');
  withTimeRange(list).option(
    '--all',
    'changes in all workspaces and of engine keys; for admins of the deployment',
  );
  withPageFlags(list, { limit: 50 });
  runsOnPlatform<AuditFlags>(list, io, async ({ platform, options, settings, out, signal }) => {
    const { all = false, resource, principal, action, since, until } = options;
    if (!all) requireWorkspace(settings);
    const filter = { resource_id: resource, principal, action, since, until };
    const query = { ...filter, limit: pageSizeOf(options) };
    const { auditEvents } = platform;
    const found = all ? auditEvents.listAll(query, { signal }) : auditEvents.list(query, { signal });
    await showList(found, { out, options, columns, none: 'No changes.' });
  });
  withExamples(list, [
    'tocsin audit list --since 7d --action webhook.updated',
    'tocsin audit list --resource WEBHOOK_ID --json',
  ]);
}

const columns: Column<AuditEvent>[] = [
  { title: 'TIME', whole: true, value: ({ time }) => shortTime(time) },
  { title: 'ACTION', whole: true, value: ({ action }) => action },
  { title: 'RESOURCE', whole: true, value: ({ resource_id }) => resource_id },
  { title: 'FIELDS', value: ({ changed_fields }) => changed_fields.join(', ') },
  { title: 'BY', value: ({ principal_name }) => principal_name },
  { title: 'PRINCIPAL', value: ({ principal }) => principal },
];
