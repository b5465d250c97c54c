import { deliveryStatuses } from '@tocsin/contracts';
import type { Command } from 'commander';
import type { Delivery } from '../api/schemas.js';
import { choice, parseLabelFilter, parseNumber, withTimeRange } from './parse-values.js';

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

/**
 * Filters of lists of deliveries. Jobs allow only the members of `FilterFlags`. Lists also allow the error code, the
 * model and labels, but only together with `since`.
 */
export interface SearchFlags extends FilterFlags {
  errorCode?: NonNullable<Delivery['error_code']>;
  model?: string;
  label?: string[];
}

/** Adds the filters by the webhook, the alert and the alert rule of a delivery. */
export function withOriginFilters(command: Command): Command {
  return command
    .option('--webhook <id>', 'only deliveries of this webhook')
    .option('--alert <id>', 'only deliveries of this alert')
    .option('--rule <id>', 'only deliveries of this alert rule');
}

export function withFilters(command: Command): Command {
  return withTimeRange(
    withOriginFilters(command)
      .addOption(
        choice('--status <status>', {
          of: deliveryStatuses,
          description: 'only deliveries with this status',
        }),
      )
      .option(
        '--status-code <code>',
        'only deliveries whose last response had this status code',
        parseNumber,
      ),
  );
}

export function withSearchFilters(command: Command): Command {
  return withFilters(command)
    .option('--error-code <code>', 'only deliveries with this error code, such as timeout; needs --since')
    .option('--model <id>', 'only deliveries of alerts of this model; needs --since')
    .option(
      '--label <name=value>',
      'only deliveries of alerts with this label; repeatable; needs --since',
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
