import type { FromSchema } from 'json-schema-to-ts';
import { count, time, uuid } from './common-schemas.js';
import { dispatchableOutcomes, endedStatuses, maxCountedMatches } from './vocabulary.js';

/** Statuses that a redelivery job can select. Open deliveries cannot be selected, because Tocsin sends them anyway. */
const endedStatus = { type: 'string', enum: endedStatuses } as const;

const ofDeliveries = {
  webhook_id: uuid,
  alert_id: uuid,
  alert_rule_id: uuid,
} as const;

const acceptedBetween = {
  since: { ...time, description: 'Only alerts accepted at this time or later, and their deliveries.' },
  until: {
    ...time,
    description:
      'Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter.',
  },
} as const;

const redeliveryFilter = {
  status: { ...endedStatus, description: 'Status of the deliveries. Default: failed.' },
  ...ofDeliveries,
  status_code: { type: 'integer', minimum: 100, maximum: 999 },
  ...acceptedBetween,
} as const;

const dispatchFilter = {
  outcome: {
    type: 'string',
    enum: dispatchableOutcomes,
    description: 'Outcome of the alerts. Default: any of these.',
  },
  alert_rule_id: uuid,
  ...acceptedBetween,
} as const;

const cancellationFilter = { ...ofDeliveries, ...acceptedBetween } as const;

const all = {
  type: 'boolean',
  description: 'True: no other filter is required, and the job applies to the whole workspace.',
} as const;

export const createRedeliverySchema = createSchema('CreateRedelivery', {
  description: 'At least one filter besides `status`, or `all: true`.',
  filter: redeliveryFilter,
  examples: [{ status: 'failed', since: '2026-01-31T12:00:00Z' }],
});

export const createDispatchSchema = createSchema('CreateDispatch', {
  description: 'At least one filter, or `all: true`.',
  filter: dispatchFilter,
  examples: [{ outcome: 'rule_disabled', since: '2026-01-31T12:00:00Z' }],
});

export const createCancellationSchema = createSchema('CreateCancellation', {
  description: 'At least one filter, or `all: true`.',
  filter: cancellationFilter,
  examples: [{ webhook_id: '7d0c1a52-8d0e-4c4a-9a57-0f1c2d3e4f51' }],
});

/**
 * Returns the schema of a request that creates a job. The request must contain a filter or `all: true`, so that no
 * request changes a whole workspace by mistake.
 */
function createSchema<const Filter, const Example>(
  title: string,
  { description, filter, examples }: { description: string; filter: Filter; examples: readonly Example[] },
) {
  return {
    title,
    description,
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: { ...filter, all },
    examples,
  } as const;
}

const jobProperties = {
  id: uuid,
  workspace_id: uuid,
  matched: {
    ...count,
    description: `Number of matches when the job was created, counted up to ${maxCountedMatches.toLocaleString('en')}.`,
  },
  done: {
    ...count,
    description: 'Number of deliveries, or of alerts, that the job has changed so far.',
  },
  status: { type: 'string', enum: ['running', 'done', 'cancelled'] },
  created_by: { type: 'string' },
  created_at: time,
  updated_at: time,
} as const;

const jobRequired = [
  'id',
  'workspace_id',
  'filter',
  'matched',
  'done',
  'status',
  'created_by',
  'created_at',
  'updated_at',
] as const;

const job = { type: 'object', additionalProperties: false, required: jobRequired } as const;
const filter = { type: 'object', additionalProperties: false } as const;

export const redeliverySchema = {
  title: 'Redelivery',
  description: 'A job that sends ended deliveries again.',
  ...job,
  properties: {
    ...jobProperties,
    filter: { ...filter, properties: redeliveryFilter, required: ['status', 'until'] },
  },
} as const;

export const dispatchSchema = {
  title: 'Dispatch',
  description:
    'A job that creates deliveries for alerts without deliveries, to the current webhooks of their rules.',
  ...job,
  properties: { ...jobProperties, filter: { ...filter, properties: dispatchFilter, required: ['until'] } },
} as const;

export const cancellationSchema = {
  title: 'Cancellation',
  description: 'A job that ends open deliveries.',
  ...job,
  properties: {
    ...jobProperties,
    filter: { ...filter, properties: cancellationFilter, required: ['until'] },
  },
} as const;

export type CreateRedelivery = FromSchema<typeof createRedeliverySchema>;
export type CreateDispatch = FromSchema<typeof createDispatchSchema>;
export type CreateCancellation = FromSchema<typeof createCancellationSchema>;
export type Redelivery = FromSchema<typeof redeliverySchema>;
export type Dispatch = FromSchema<typeof dispatchSchema>;
export type Cancellation = FromSchema<typeof cancellationSchema>;
export type RedeliveryFilter = Redelivery['filter'];
export type DispatchFilter = Dispatch['filter'];
export type CancellationFilter = Cancellation['filter'];

/** Kinds of jobs. Each has a filter that is fixed when the job is accepted. */
export interface JobFilters {
  redelivery: RedeliveryFilter;
  dispatch: DispatchFilter;
  cancellation: CancellationFilter;
}
export type JobKind = keyof JobFilters;
