import type { Command } from 'commander';
import type { Delivery } from '../api/schemas.js';
import { choice, parseLabelFilter, parseNumber, parseTime } from './parse-values.js';

/** Options that filter deliveries. */
export interface FilterFlags {
  webhook?: string;
  alert?: string;
  rule?: string;
  status?: Delivery['status'];
  statusCode?: number;
  since?: string;
  until?: string;
}

/** Filters that only lists support. The API requires `since` together with them. */
export interface SearchFlags extends FilterFlags {
  errorCode?: NonNullable<Delivery['error_code']>;
  model?: string;
  label?: string[];
}

const statuses: Delivery['status'][] = ['waiting', 'queued', 'sending', 'succeeded', 'failed', 'skipped'];

export function withFilters(command: Command): Command {
  return command
    .option('--webhook <id>', 'only of this webhook')
    .option('--alert <id>', 'only of this alert')
    .option('--rule <id>', 'only of this alert rule')
    .addOption(choice('--status <status>', { of: statuses, description: 'only these' }))
    .option('--status-code <code>', 'only with this status of the last response', parseNumber)
    .option('--since <time>', 'a time, or an age such as 15m, 2h, 7d', parseTime)
    .option('--until <time>', 'a time, or an age', parseTime);
}

export function withSearchFilters(command: Command): Command {
  return withFilters(command)
    .option('--error-code <code>', 'only with this error code, such as timeout; with --since')
    .option('--model <id>', 'only of alerts of this model; with --since')
    .option(
      '--label <name=value>',
      'only of alerts with this label; may be given again; with --since',
      parseLabelFilter,
    );
}

export function searchOf({ errorCode, model, label, ...flags }: SearchFlags) {
  return { ...filterOf(flags), error_code: errorCode, model_id: model, label };
}

export function filterOf({ webhook, alert, rule, status, statusCode, since, until }: FilterFlags) {
  return {
    webhook_id: webhook,
    alert_id: alert,
    alert_rule_id: rule,
    status,
    status_code: statusCode,
    since,
    until,
  };
}
