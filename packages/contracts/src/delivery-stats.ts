import type { FromSchema } from 'json-schema-to-ts';
import { count, time, timeOrNull, uuid } from './common-schemas.js';

/** Lengths of the time steps in statistics. */
export const statsSteps = ['minute', 'hour', 'day'] as const;
export type StatsStep = (typeof statsSteps)[number];

const latency = {
  type: ['integer', 'null'],
  minimum: 0,
  description:
    'Time from the acceptance of the alert to the successful response, in milliseconds, accurate to 5 %. Null if no delivery of the step has succeeded.',
} as const;

export const deliveryStatsSchema = {
  title: 'DeliveryStats',
  description: 'Counts of deliveries by time step.',
  type: 'object',
  additionalProperties: false,
  properties: {
    steps: {
      type: 'array',
      description:
        'All steps of the time range, oldest first. With `group_by=webhook`: all steps of each webhook that has a delivery in the range. A delivery counts in the step that contains the `accepted_at` of its alert, with its current status.',
      items: {
        title: 'DeliveryStatsStep',
        type: 'object',
        additionalProperties: false,
        properties: {
          from: { ...time, description: 'Start of the step, aligned to UTC.' },
          to: { ...time, description: 'End of the step and start of the next one.' },
          webhook_id: { ...uuid, description: 'Only with `group_by=webhook`.' },
          succeeded: count,
          failed: count,
          skipped: count,
          open: { ...count, description: 'Number of deliveries that are waiting, queued or sending.' },
          attempts: { ...count, description: 'Number of HTTP requests of the deliveries in the step.' },
          p50_ms: latency,
          p95_ms: latency,
        },
        required: ['from', 'to', 'succeeded', 'failed', 'skipped', 'open', 'attempts', 'p50_ms', 'p95_ms'],
      },
    },
    oldest_open_at: {
      ...timeOrNull,
      description:
        '`accepted_at` of the oldest alert with an open delivery, also outside of the time range. With `webhook_id`, only deliveries of this webhook count. Null if no delivery is open.',
    },
  },
  required: ['steps', 'oldest_open_at'],
} as const;

export type DeliveryStats = FromSchema<typeof deliveryStatsSchema>;
