import type { Command } from 'commander';
import type { Delivery } from '../api/schemas.js';
import { choice, parseNumber, parseTime } from './parse-values.js';

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
