import { patchAlertRuleSchema } from '@tocsin/contracts';
import type { Command } from 'commander';
import type { Tagged } from '../../api/requests.js';
import type { AlertRule, CreateAlertRule, PatchAlertRule } from '../../api/schemas.js';
import { type Context, runsInWorkspace, runsOnPlatform, withExamples } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import {
  collect,
  orNull,
  parseBound,
  parseNumber,
  parseSeconds,
  parseTimeAhead,
  withIfMatch,
} from '../parse-values.js';
import { type CommonFlags, readCommonFields, withCommonFlags } from '../resource-fields.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';

export function addRuleCommands(rules: Command, io: Io): void {
  const list = rules
    .command('list')
    .description('list the alert rules of the workspace')
    .option('--external-id <id>', 'only the rule with this external id')
    .option('--webhook <id>', 'only rules that call this webhook');
  withPageFlags(list);
  runsInWorkspace<ListFlags>(list, io, async ({ platform, options, out, signal }) => {
    const { externalId, webhook } = options;
    const query = { external_id: externalId, webhook_id: webhook, limit: pageSizeOf(options) };
    const found = platform.alertRules.list(query, { signal });
    await showList(found, { out, options, columns: listColumns, none: 'No alert rules.' });
  });

  const get = rules.command('get').argument('<id>').description('show an alert rule');
  runsOnPlatform(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await platform.alertRules.get(id, { signal }), out);
  });

  const create = withFieldFlags(rules.command('create')).description('create an alert rule');
  runsInWorkspace<FieldFlags>(create, io, async ({ platform, out, signal, ...context }) => {
    const fields = await readFields(context);
    const needed = ['name', 'model_id', 'threshold', 'bound'] as const;
    const missing = needed.filter((field) => fields[field] === undefined);
    if (missing.length > 0) throw new CommandFailure(exitCodes.usage, `Missing: ${missing.join(', ')}.`);
    show(await platform.alertRules.create(fields as CreateAlertRule, { signal }), out);
  });
  withExamples(create, [
    'tocsin rules create --name drift --model-id UUID --threshold 0.4 --bound upper --webhook WEBHOOK_ID',
    'tocsin rules create --from - < rule.json',
  ]);

  const update = withIfMatch(withFieldFlags(rules.command('update').argument('<id>')))
    .description('change only the given fields; given webhooks replace all webhooks of the rule')
    .option('--enable', 'let it fire')
    .option('--no-webhooks', 'call no webhooks')
    .option('--no-silence', 'end the silence');
  runsOnPlatform<UpdateFlags>(update, io, async ({ platform, out, signal, ...context }) => {
    const fields = await readFields(context);
    if (Object.keys(fields).length === 0)
      throw new CommandFailure(exitCodes.usage, 'Nothing to change was given.');
    const { ifMatch } = context.options;
    show(await platform.alertRules.update(context.args[0] ?? '', fields, { ifMatch, signal }), out);
  });

  const remove = withIfMatch(rules.command('delete').argument('<id>')).description('delete an alert rule');
  runsOnPlatform<{ ifMatch?: string }>(
    remove,
    io,
    async ({ platform, args: [id = ''], options: { ifMatch }, out, signal }) => {
      await platform.alertRules.delete(id, { ifMatch, signal });
      out.value({ id, deleted: true }, () => out.line(`Deleted ${id}.`));
    },
  );
}

interface ListFlags extends PageFlags {
  externalId?: string;
  webhook?: string;
}

interface FieldFlags extends CommonFlags {
  modelId?: string;
  threshold?: number;
  bound?: 'upper_bound' | 'lower_bound';
  webhook?: string[];
  webhooks?: boolean;
  cooldown?: number;
  silence?: string | false;
}

interface UpdateFlags extends FieldFlags {
  ifMatch?: string;
}

function withFieldFlags(command: Command): Command {
  return withCommonFlags(command)
    .option('--model-id <id>', 'id of the model')
    .option('--threshold <number>', 'the threshold', parseNumber)
    .option('--bound <bound>', 'upper or lower', parseBound)
    .option('--webhook <id>', 'id of a webhook to call; repeatable', collect)
    .option(
      '--cooldown <duration>',
      'time after an alert in which further alerts are suppressed, such as 15m; 0: none',
      parseSeconds,
    )
    .option(
      '--silence <time>',
      'suppress all alerts until a time, or for a duration such as 2h',
      parseTimeAhead,
    )
    .option('--disable', 'do not fire');
}

const writable = Object.keys(patchAlertRuleSchema.properties);

async function readFields(context: Pick<Context<FieldFlags>, 'options' | 'io'>): Promise<PatchAlertRule> {
  const { modelId, threshold, bound, webhook, webhooks, cooldown, silence } = context.options;
  return {
    ...(await readCommonFields(context, writable)),
    ...(modelId !== undefined && { model_id: modelId }),
    ...(threshold !== undefined && { threshold }),
    ...(bound !== undefined && { bound }),
    ...(webhook !== undefined && { notification_webhook_ids: webhook }),
    ...(webhooks === false && { notification_webhook_ids: [] }),
    ...(cooldown !== undefined && { cooldown_seconds: cooldown }),
    ...(silence !== undefined && { silenced_until: orNull(silence) }),
  };
}

const listColumns: Column<AlertRule>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'FIRES',
    value: ({ bound, threshold }) => `${bound === 'upper_bound' ? 'above' : 'below'} ${threshold}`,
  },
  { title: 'WEBHOOKS', value: ({ notification_webhook_ids }) => String(notification_webhook_ids.length) },
  {
    title: 'STATE',
    whole: true,
    value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    color: ({ enabled }) => (enabled ? 'green' : 'dim'),
  },
  { title: 'MODEL', value: ({ model_id }) => model_id },
];

function show(rule: Tagged<AlertRule>, out: Output): void {
  out.value(rule, () =>
    out.facts({
      id: rule.id,
      'external id': rule.external_id,
      name: rule.name,
      model: rule.model_id,
      threshold: rule.threshold,
      bound: rule.bound,
      enabled: rule.enabled,
      cooldown: rule.cooldown_seconds > 0 ? `${rule.cooldown_seconds} s` : null,
      'silenced until': rule.silenced_until,
      webhooks: rule.notification_webhook_ids.join('\n') || 'none',
      etag: rule.etag,
      created: rule.created_at,
      updated: `${rule.updated_at} by ${rule.last_updated_by}`,
    }),
  );
}
