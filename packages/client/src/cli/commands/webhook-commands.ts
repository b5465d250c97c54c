import { patchWebhookSchema } from '@tocsin/contracts';
import type { Command } from 'commander';
import type { Tagged } from '../../api/requests.js';
import type { CreateWebhook, PatchWebhook, SavedWebhook, Webhook } from '../../api/schemas.js';
import { type Context, runsInWorkspace, runsOnPlatform, withExamples } from '../action.js';
import { describeHealth, describeLastError, describeTrouble, healthColors } from '../describe-health.js';
import { describePause } from '../describe-wait.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { choice, collect, parseHeader, parseTimeAhead, withIfMatch } from '../parse-values.js';
import { readText } from '../read-input.js';
import { type CommonFlags, readCommonFields, withCommonFlags } from '../resource-fields.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';
import { describeOptions, type OptionFlags, optionFieldsOf, withOptionFlags } from '../webhook-options.js';
import { addSigningSecretCommands } from './signing-secret-commands.js';
import { addWebhookTestCommands } from './webhook-test-commands.js';

export function addWebhookCommands(webhooks: Command, io: Io): void {
  const list = webhooks
    .command('list')
    .description('list the webhooks of the workspace')
    .option('--name <text>', 'only webhooks whose name contains this text')
    .option('--external-id <id>', 'only the webhook with this external id')
    .option('--host <host>', 'only webhooks whose url has this host, or host:port')
    .addOption(
      choice('--sort <field>', {
        of: ['name', 'created_at', 'updated_at'],
        description: 'sort by this field',
      }),
    )
    .addOption(choice('--order <order>', { of: ['asc', 'desc'], description: 'sort order' }));
  withPageFlags(list);
  runsInWorkspace<ListFlags>(list, io, async ({ platform, options, out, signal }) => {
    const { name, externalId, host, sort, order } = options;
    const query = { name, external_id: externalId, host, sort, order, limit: pageSizeOf(options) };
    const found = platform.webhooks.list(query, { signal });
    await showList(found, { out, options, columns: listColumns, none: 'No webhooks.' });
  });

  const get = webhooks.command('get').argument('<id>').description('show a webhook');
  runsOnPlatform(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await platform.webhooks.get(id, { signal }), out);
  });

  const create = withFieldFlags(webhooks.command('create')).description('create a webhook');
  runsInWorkspace<FieldFlags>(create, io, async ({ platform, out, signal, ...context }) => {
    const fields = await readFields(context);
    const { header } = context.options;
    if (header !== undefined) fields.headers = changeHeaders(fields.headers ?? {}, { header });
    const missing = (['name', 'url', 'body'] as const).filter((field) => fields[field] === undefined);
    if (missing.length > 0) {
      throw new CommandFailure(
        exitCodes.usage,
        `A webhook needs a name, a url and a body; missing: ${missing.join(', ')}.`,
      );
    }
    show(await platform.webhooks.create(fields as CreateWebhook, { signal }), out);
  });
  withExamples(create, [
    'tocsin webhooks create --name chat --url https://chat.example.com/hook --header "Content-Type: application/json" --body-file body.j2',
    'tocsin webhooks create --from webhook.json',
  ]);

  const update = withIfMatch(withFieldFlags(webhooks.command('update').argument('<id>')))
    .description('change only the given fields and headers')
    .option('--remove-header <name>', 'remove a header; repeatable', collect)
    .option('--enable', 'enable the webhook');
  runsOnPlatform<UpdateFlags>(update, io, async ({ platform, out, signal, ...context }) => {
    const id = context.args[0] ?? '';
    const fields = await readFields(context);
    const { header, removeHeader } = context.options;
    let { ifMatch } = context.options;
    if (header !== undefined || removeHeader !== undefined) {
      // The API can only replace all headers at once, so the current headers are read, changed and sent as a whole.
      // With `ifMatch`, the change fails if another caller has changed the webhook meanwhile.
      const before = fields.headers ? undefined : await platform.webhooks.get(id, { signal });
      fields.headers = changeHeaders(fields.headers ?? before?.headers ?? {}, context.options);
      ifMatch ??= before?.etag;
    }
    if (Object.keys(fields).length === 0)
      throw new CommandFailure(exitCodes.usage, 'Nothing to change was given.');
    show(await platform.webhooks.update(id, fields, { ifMatch, signal }), out);
  });
  withExamples(update, [
    'tocsin webhooks update ID --disable',
    'tocsin webhooks update ID --body-file body.j2',
    'tocsin webhooks update ID --header "Authorization: Bearer NEW" --remove-header X-Old',
    'tocsin webhooks get ID --json | tocsin webhooks create --from - --name copy',
  ]);

  const remove = withIfMatch(webhooks.command('delete').argument('<id>'))
    .description('delete a webhook')
    .option('--force', 'delete it even if it is in use, and remove it from alert rules and notices');
  runsOnPlatform<{ force?: boolean; ifMatch?: string }>(
    remove,
    io,
    async ({ platform, args: [id = ''], options: { force, ifMatch }, out, signal }) => {
      await platform.webhooks.delete(id, { force, ifMatch, signal });
      out.value({ id, deleted: true }, () => out.line(`Deleted ${id}.`));
    },
  );

  const pause = webhooks
    .command('pause')
    .argument('<id>')
    .description('pause a webhook for up to 7 days; its deliveries wait')
    .requiredOption('--until <time>', 'a time, or a duration such as 2h', parseTimeAhead);
  runsOnPlatform<{ until: string }>(
    pause,
    io,
    async ({ platform, args: [id = ''], options: { until }, out, signal }) => {
      show(await platform.webhooks.update(id, { paused_until: until }, { signal }), out);
    },
  );
  withExamples(pause, ['tocsin webhooks pause ID --until 2h']);

  const resume = webhooks.command('resume').argument('<id>').description('end the pause of a webhook');
  runsOnPlatform(resume, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await platform.webhooks.update(id, { paused_until: null }, { signal }), out);
  });

  addSigningSecretCommands(webhooks, io);
  addWebhookTestCommands(webhooks, io);
}

interface ListFlags extends PageFlags {
  name?: string;
  externalId?: string;
  host?: string;
  sort?: 'name' | 'created_at' | 'updated_at';
  order?: 'asc' | 'desc';
}

interface FieldFlags extends OptionFlags, CommonFlags {
  url?: string;
  header?: Record<string, string[]>;
  body?: string;
  bodyFile?: string;
  retryOnTimeout?: boolean;
}

interface UpdateFlags extends FieldFlags {
  removeHeader?: string[];
  ifMatch?: string;
}

function withFieldFlags(command: Command): Command {
  return withCommonFlags(withOptionFlags(command))
    .option('--url <url>', 'url that receives the POST requests')
    .option('--header <"Name: value">', 'a header of the requests; repeatable', parseHeader)
    .option('--body <template>', 'the body template')
    .option('--body-file <file>', 'the body template from a file; "-" is standard input')
    .option('--disable', 'disable the webhook')
    .option('--retry-on-timeout', 'send a delivery again after a timeout (default)')
    .option('--no-retry-on-timeout', 'do not send a delivery again after a timeout');
}

const writable = Object.keys(patchWebhookSchema.properties);

/** Reads fields from the file of the option `--from` and from all flags other than the header flags. */
async function readFields(context: Pick<Context<FieldFlags>, 'options' | 'io'>): Promise<PatchWebhook> {
  const { options, io } = context;
  const { from, url, body, bodyFile, retryOnTimeout } = options;
  if (from === '-' && bodyFile === '-') {
    throw new CommandFailure(exitCodes.usage, 'Only one of --from and --body-file can be standard input.');
  }
  return {
    ...(await readCommonFields(context, writable)),
    ...(url !== undefined && { url }),
    ...(body !== undefined && { body }),
    ...(bodyFile !== undefined && { body: await readText(bodyFile, io) }),
    ...(retryOnTimeout !== undefined && { retry_on_timeout: retryOnTimeout }),
    ...optionFieldsOf(options),
  };
}

/** Sets and removes headers by name, ignoring case, and keeps the other headers. */
function changeHeaders(
  before: Record<string, string[]>,
  { header = {}, removeHeader = [] }: Pick<UpdateFlags, 'header' | 'removeHeader'>,
): Record<string, string[]> {
  const names = (list: string[]) => new Set(list.map((name) => name.toLowerCase()));
  const existing = names(Object.keys(before));
  for (const name of removeHeader) {
    if (!existing.has(name.toLowerCase()))
      throw new CommandFailure(exitCodes.usage, `The webhook has no header ${name}.`);
  }
  const replaced = names([...removeHeader, ...Object.keys(header)]);
  const kept = Object.entries(before).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...header };
}

const listColumns: Column<Webhook>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'URL', value: ({ url }) => url },
  {
    title: 'STATE',
    whole: true,
    value: ({ health }) => health.state,
    color: ({ health }) => healthColors[health.state],
  },
  { title: 'ERROR', value: ({ health }) => describeTrouble(health) },
  { title: 'UPDATED', value: ({ updated_at }) => shortTime(updated_at) },
];

function show(webhook: Tagged<Webhook | SavedWebhook>, out: Output): void {
  out.value(webhook, () => {
    const headers = Object.entries(webhook.headers).flatMap(([name, values]) =>
      values.map((value) => `${name}: ${value}`),
    );
    out.facts({
      id: webhook.id,
      'external id': webhook.external_id,
      name: webhook.name,
      url: webhook.url,
      headers: headers.length > 0 ? `${headers.join('\n')}` : 'none',
      enabled: webhook.enabled,
      state: describeHealth(webhook.health),
      'last error': describeLastError(webhook.health),
      paused: describePause(webhook),
      'retry on timeout': webhook.retry_on_timeout,
      ...describeOptions(webhook),
      etag: webhook.etag,
      created: webhook.created_at,
      updated: `${webhook.updated_at} by ${webhook.last_updated_by}`,
      body: webhook.body,
    });
  });
  if ('warnings' in webhook) for (const warning of webhook.warnings) out.note(`warning: ${warning}`);
}
