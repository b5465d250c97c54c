import type { Knex } from 'knex';
import { apiKeys, selfChecks } from './0001-api-keys-and-self-checks.js';
import { deliveryStats } from './0001-delivery-stats.js';
import { history } from './0001-history.js';
import { auditEvents, deadLettersAndJobs, noticesAndSettings } from './0001-jobs-and-notices.js';
import { openDeliveries } from './0001-open-deliveries.js';
import { webhooksAndRules } from './0001-webhooks-and-rules.js';

export const initialSchema = {
  name: '0001-initial-schema',
  up: (knex: Knex) =>
    knex.raw(
      [
        webhooksAndRules,
        history,
        openDeliveries,
        deliveryStats,
        deadLettersAndJobs,
        auditEvents,
        noticesAndSettings,
        apiKeys,
        selfChecks,
      ].join('\n'),
    ),
};
