import { alertOutcomes, alertStates, dispatchableOutcomes } from '@tocsin/contracts';
import type { Command } from 'commander';
import type { Alert } from '../../api/schemas.js';
import { runs, runsConnected, runsInWorkspace, withExamples } from '../action.js';
import type { Io } from '../io.js';
import {
  choice,
  parseBound,
  parseLabelFilter,
  parseNumber,
  parsePair,
  parseTime,
  withTimeRange,
} from '../parse-values.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';
import { type DispatchFlags, dispatchAlerts } from './dispatch-alerts.js';
import { type FireFlags, fireAlerts } from './fire-alerts.js';
import { type ValidateFlags, validateAlerts } from './validate-alerts.js';

export function addAlertCommands(alerts: Command, io: Io): void {
  const fire = alerts
    .command('fire')
    .argument(
      '[file]',
      'JSON: an alert, an array of alerts, or one alert on each line; "-" is standard input',
    )
    .description('publish alerts and wait until the broker has confirmed them')
    .option('--rule <id>', 'id of the alert rule')
    .option('--model-id <id>', 'id of the model')
    .option('--model-name <text>', 'name of the model')
    .option('--value <number>', 'value of the metric', parseNumber)
    .option('--threshold <number>', 'threshold when the alert fired; default: that of the rule', parseNumber)
    .option('--bound <bound>', 'upper or lower; default: that of the rule', parseBound)
    .addOption(
      choice('--state <state>', { of: alertStates, description: 'variable for templates; default: firing' }),
    )
    .option('--label <name=value>', 'a label; repeatable', parsePair)
    .option('--annotation <name=value>', 'an annotation, such as summary or link; repeatable', parsePair)
    .option('--alert-id <id>', 'id of the alert; publishing an id again creates no second alert')
    .option('--batch', 'send up to 500 alerts of the file in each request')
    .option('--amqp', 'publish to the broker (TOCSIN_AMQP_URL) instead of the API')
    .option('--no-declare', 'with --amqp: declare no queues, for a broker user that may only publish');
  runsConnected<FireFlags>(fire, io, fireAlerts);
  withExamples(fire, [
    'tocsin alerts fire --rule UUID --model-id UUID --model-name churn --value 0.42',
    'tocsin alerts fire --rule UUID --model-id UUID --model-name churn --value 0.39 --state resolved --label team=risk',
    'tocsin alerts fire alert.json',
    'tocsin alerts fire alerts.jsonl --batch',
    'TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com tocsin alerts fire alert.json --amqp --no-declare',
    'jq -c ".[]" alerts.json | tocsin alerts fire -',
  ]);

  const validate = alerts
    .command('validate')
    .argument(
      '<file>',
      'JSON: an alert, an array of alerts, or one alert on each line; "-" is standard input',
    )
    .description('check alerts without a server and print all problems; exit code 6 if there are any')
    .option('--amqp', 'check them as messages that a program publishes to the broker without tocsin');
  runs<ValidateFlags>(validate, io, validateAlerts);
  withExamples(validate, [
    'tocsin alerts validate alert.json',
    'tocsin alerts validate message.json --amqp --json',
  ]);

  const list = alerts
    .command('list')
    .description('list alerts, newest first; a publisher sees those that it published over the API')
    .option('--rule <id>', 'only alerts of this rule')
    .addOption(
      choice('--outcome <outcome>', { of: alertOutcomes, description: 'only alerts with this outcome' }),
    )
    .option('--model <id>', 'only alerts of this model; needs --since')
    .option(
      '--label <name=value>',
      'only alerts with this label; repeatable; needs --since',
      parseLabelFilter,
    );
  withPageFlags(withTimeRange(list), { limit: 50 });
  runsInWorkspace<ListFlags>(list, io, async ({ platform, options, out, signal }) => {
    const { rule, outcome, model, label, since, until } = options;
    const filter = { alert_rule_id: rule, outcome, model_id: model, label, since, until };
    const found = platform.alerts.list({ ...filter, limit: pageSizeOf(options) }, { signal });
    await showList(found, { out, options, columns: listColumns, none: 'No alerts.' });
  });
  withExamples(list, [
    'tocsin alerts list --label team=risk --label region=eu --since 7d',
    'tocsin alerts list --outcome suppressed --since 1d --count',
  ]);

  const get = alerts.command('get').argument('<id>').description('show an alert and its outcome');
  runsInWorkspace(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    const alert = await platform.alerts.get(id, { signal });
    out.value(alert, () =>
      out.facts({
        ...alert,
        suppressed_by: describeSuppression(alert),
        labels: linesOf(alert.labels),
        annotations: linesOf(alert.annotations),
        webhook_ids: alert.webhook_ids?.join('\n'),
        summary: describeSummary(alert) || null,
      }),
    );
  });

  const dispatch = alerts
    .command('dispatch')
    .argument('[id...]')
    .description('create deliveries for alerts without deliveries, to the current webhooks of their rules')
    .option('--rule <id>', 'all alerts of this rule')
    .addOption(
      choice('--outcome <outcome>', {
        of: dispatchableOutcomes,
        description: 'all alerts with this outcome',
      }),
    )
    .option('--since <time>', 'all alerts since a time, or an age such as 15m, 2h, 7d', parseTime)
    .option('--until <time>', 'all alerts before a time, or an age', parseTime)
    .option('--all', 'all alerts of the workspace')
    .option('--no-wait', 'with filters: do not wait until all alerts are dispatched');
  runsInWorkspace<DispatchFlags>(dispatch, io, dispatchAlerts);
  withExamples(dispatch, [
    'tocsin alerts dispatch ID',
    'tocsin alerts dispatch --rule ID --outcome rule_disabled --since 1d',
  ]);
}

function describeSuppression({ suppressed_by }: Alert): string | null {
  if (!suppressed_by) return null;
  const { reason, alert_id } = suppressed_by;
  return alert_id === null ? reason : `${reason} since alert ${alert_id}`;
}

/** Returns a string such as "2 succeeded, 1 open", or an empty string for an alert without deliveries. */
function describeSummary({ summary = {} as Alert['summary'] }: Alert): string {
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  return counts.map(([state, count]) => `${count} ${state}`).join(', ');
}

function linesOf(texts: Record<string, string> = {}): string | undefined {
  const lines = Object.entries(texts).map(([name, text]) => `${name}: ${text}`);
  return lines.length === 0 ? undefined : lines.join('\n');
}

interface ListFlags extends PageFlags {
  rule?: string;
  outcome?: Alert['outcome'];
  model?: string;
  label?: string[];
  since?: string;
  until?: string;
}

const listColumns: Column<Alert>[] = [
  { title: 'ID', whole: true, value: ({ alert_id }) => alert_id },
  { title: 'FIRED', value: ({ fired_at }) => shortTime(fired_at) },
  { title: 'RULE', value: ({ alert_rule_name }) => alert_rule_name },
  { title: 'MODEL', value: ({ model_name }) => model_name },
  { title: 'VALUE', value: ({ metric_value }) => String(metric_value) },
  {
    title: 'LIMIT',
    value: ({ bound, threshold }) => `${bound === 'upper_bound' ? '>' : '<'} ${threshold}`,
  },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => outcome,
    color: ({ outcome }) => (outcome === 'dispatched' ? 'green' : 'yellow'),
  },
  { title: 'DELIVERIES', value: describeSummary },
];
