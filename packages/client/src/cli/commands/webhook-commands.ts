import type { Command } from 'commander';
import type { CreateWebhook, PatchWebhook, SavedWebhook, Webhook } from '../../api/schemas.js';
import { type Context, runsInWorkspace, runsOnPlatform, withExamples } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { choice, parseCount, parseHeader } from '../parse-values.js';
import { readJsonObject, readText } from '../read-input.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';
import { addWebhookTestCommands } from './webhook-test-commands.js';

export function addWebhookCommands(program: Command, io: Io): void {
  const webhooks = program.command('webhooks').description('destinations: url, headers and a body template');

  const list = webhooks
    .command('list')
    .description('list the webhooks of the workspace')
    .option('--name <text>', 'only those with this in their name')
    .addOption(choice('--sort <field>', { of: ['name', 'created_at', 'updated_at'], description: 'by what' }))
    .addOption(choice('--order <order>', { of: ['asc', 'desc'], description: 'which way' }))
    .option('--limit <count>', 'no more than so many', parseCount);
  runsInWorkspace<ListFlags>(list, io, async ({ platform, options, out, signal }) => {
    const { name, sort, order, limit } = options;
    const found = platform.webhooks.list(
      { name, sort, order, limit: limit && Math.min(limit, 1000) },
      { signal },
    );
    await out.list(found, {
      columns: listColumns(out),
      none: 'No webhooks.',
      ...(limit !== undefined && { limit }),
    });
  });

  const get = webhooks.command('get').argument('<id>').description('show a webhook');
  runsOnPlatform(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await platform.webhooks.get(id, { signal }), out);
  });

  const create = withFieldFlags(webhooks.command('create')).description('create a webhook');
  runsInWorkspace<FieldFlags>(create, io, async ({ platform, out, signal, ...context }) => {
    const fields = await readFields(context);
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

  const update = withFieldFlags(webhooks.command('update').argument('<id>'))
    .description('change the fields that are given; headers are replaced whole')
    .option('--enable', 'let it deliver');
  runsOnPlatform<FieldFlags>(update, io, async ({ platform, out, signal, ...context }) => {
    const fields = await readFields(context);
    if (Object.keys(fields).length === 0)
      throw new CommandFailure(exitCodes.usage, 'Nothing to change was given.');
    show(await platform.webhooks.update(context.args[0] ?? '', fields, { signal }), out);
  });
  withExamples(update, [
    'tocsin webhooks update ID --disable',
    'tocsin webhooks update ID --body-file body.j2',
  ]);

  const remove = webhooks
    .command('delete')
    .argument('<id>')
    .description('delete a webhook')
    .option('--force', 'also where alert rules use it: it is taken out of them');
  runsOnPlatform<{ force?: boolean }>(
    remove,
    io,
    async ({ platform, args: [id = ''], options, out, signal }) => {
      await platform.webhooks.delete(id, { force: options.force, signal });
      out.value({ id, deleted: true }, () => out.line(`Deleted ${id}.`));
    },
  );

  addWebhookTestCommands(webhooks, io);
}

interface ListFlags {
  name?: string;
  sort?: 'name' | 'created_at' | 'updated_at';
  order?: 'asc' | 'desc';
  limit?: number;
}

interface FieldFlags {
  from?: string;
  name?: string;
  url?: string;
  header?: Record<string, string[]>;
  body?: string;
  bodyFile?: string;
  enable?: boolean;
  disable?: boolean;
  retryOnTimeout?: boolean;
}

function withFieldFlags(command: Command): Command {
  return command
    .option('--from <file>', 'a JSON object with the fields; "-" is standard input, flags come first')
    .option('--name <text>', 'a label for people')
    .option('--url <url>', 'receives the POST')
    .option('--header <"Name: value">', 'sent with it; may be given again', parseHeader)
    .option('--body <template>', 'the body template')
    .option('--body-file <file>', 'the body template from a file; "-" is standard input')
    .option('--disable', 'do not deliver')
    .option('--no-retry-on-timeout', 'do not send again what timed out');
}

async function readFields({
  options,
  io,
}: Pick<Context<FieldFlags>, 'options' | 'io'>): Promise<PatchWebhook> {
  const { from, name, url, header, body, bodyFile, enable, disable, retryOnTimeout } = options;
  if (from === '-' && bodyFile === '-') {
    throw new CommandFailure(exitCodes.usage, 'Only one of --from and --body-file can be standard input.');
  }
  const base: PatchWebhook = from === undefined ? {} : await readJsonObject(from, io);
  return {
    ...base,
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(header !== undefined && { headers: header }),
    ...(body !== undefined && { body }),
    ...(bodyFile !== undefined && { body: await readText(bodyFile, io) }),
    ...((enable || disable) && { enabled: enable === true }),
    // commander sets the option to true if the flag is missing, so only false is an explicit value.
    ...(retryOnTimeout === false && { retry_on_timeout: false }),
  };
}

function listColumns(out: Output): Column<Webhook>[] {
  return [
    { title: 'ID', whole: true, value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'URL', value: ({ url }) => url },
    {
      title: 'STATE',
      whole: true,
      value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
      paint: (cell, { enabled }) => out.paint(cell, enabled ? 'green' : 'dim'),
    },
    { title: 'UPDATED', value: ({ updated_at }) => shortTime(updated_at) },
  ];
}

function show(webhook: Webhook | SavedWebhook, out: Output): void {
  out.value(webhook, () => {
    const headers = Object.entries(webhook.headers).flatMap(([name, values]) =>
      values.map((value) => `${name}: ${value}`),
    );
    out.facts({
      id: webhook.id,
      name: webhook.name,
      url: webhook.url,
      headers: headers.length > 0 ? `${headers.join('\n')}` : 'none',
      enabled: webhook.enabled,
      'retry on timeout': webhook.retry_on_timeout,
      created: webhook.created_at,
      updated: `${webhook.updated_at} by ${webhook.last_updated_by}`,
      body: webhook.body,
    });
  });
  if ('warnings' in webhook) for (const warning of webhook.warnings) out.note(`warning: ${warning}`);
}
