import { createRedeliverySchema, type Redelivery, redeliverySchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import { apiPrefix, inWorkspace, pathIn, workspaceParams } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import { idRange } from '../lists/time-range.js';
import { principalName } from '../principal-name.js';
import type { createAcceptRedelivery } from './accept-redelivery.js';
import type { RedeliveriesRepository, StoredRedelivery } from './redeliveries-repository.js';

export interface RedeliveryRoutesDeps {
  accept: ReturnType<typeof createAcceptRedelivery>;
  repository: RedeliveriesRepository;
  paging: Paging;
  /** Of the API, without a path; empty where it is not known. */
  publicUrl: string;
}

const collection = `${apiPrefix}/workspaces/{workspace_id}/redeliveries`;
const single = `${collection}/{redelivery_id}`;
const tag = 'deliveries';

const redeliveryParams = {
  ...workspaceParams,
  properties: { ...workspaceParams.properties, redelivery_id: { type: 'string', format: 'uuid' } },
  required: ['workspace_id', 'redelivery_id'],
} as const;

/** Sending many deliveries again: accepting, listing, reading and cancelling such jobs. */
export function redeliveryRoutes(deps: RedeliveryRoutesDeps): Route<Principal>[] {
  return [createRoute(deps), listRoute(deps), readRoute(deps), cancelRoute(deps)];
}

function createRoute({ accept, publicUrl }: RedeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: collection,
    operationId: 'createRedelivery',
    summary: 'Sends all ended deliveries that match a filter again.',
    description: 'What matches when the request is accepted is covered. The job survives restarts.',
    tag,
    access: inWorkspace('delivery_redeliver'),
    params: workspaceParams,
    body: createRedeliverySchema,
    responses: {
      202: {
        description: 'The job.',
        schema: redeliverySchema,
        headers: { Location: 'Where its progress can be read.' },
      },
    },
    problems: [409, 503],
    async handler({ resource: { workspaceId }, body, principal }) {
      const job = await accept({ workspaceId, body, createdBy: principalName(principal) });
      const headers = { Location: `${publicUrl}${pathIn(collection, workspaceId)}/${job.id}` };
      return { status: 202, headers, body: present(job) };
    },
  });
}

function listRoute({ repository, paging }: RedeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listRedeliveries',
    summary: 'Lists the redelivery jobs of a workspace, newest first.',
    tag,
    access: inWorkspace('delivery_redeliver'),
    params: workspaceParams,
    query: { type: 'object', additionalProperties: false, properties: pageQuery },
    responses: { 200: listResponse('The jobs.', redeliverySchema) },
    async handler({ resource: { workspaceId }, query }) {
      const list = { path: pathIn(collection, workspaceId), query };
      const { limit = 50 } = query;
      const range = idRange({}, paging.positionOf(list));
      const found = await repository.list({ workspaceId, range, limit: limit + 1 });
      const keyOf = (job: StoredRedelivery) => [job.id];
      const { rows, headers } = paging.page(list, found, { limit, keyOf });
      return { status: 200, headers, body: rows.map(present) };
    },
  });
}

function readRoute({ repository }: RedeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: single,
    operationId: 'getRedelivery',
    summary: 'Reads how far a redelivery job has come.',
    tag,
    access: inWorkspace('delivery_redeliver'),
    params: redeliveryParams,
    responses: { 200: { description: 'The job.', schema: redeliverySchema } },
    problems: [404],
    handler: async ({ resource: { workspaceId }, params }) => ({
      status: 200,
      body: present(await findJob(repository, workspaceId, params.redelivery_id)),
    }),
  });
}

function cancelRoute({ repository }: RedeliveryRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'DELETE',
    path: single,
    operationId: 'cancelRedelivery',
    summary: 'Cancels a redelivery job; what it has put on its way already is sent.',
    tag,
    access: inWorkspace('delivery_redeliver'),
    params: redeliveryParams,
    responses: { 200: { description: 'The job as it ended.', schema: redeliverySchema } },
    problems: [404, 409],
    async handler({ resource: { workspaceId }, params: { redelivery_id: id } }) {
      const cancelled = await repository.cancel(workspaceId, id);
      if (cancelled !== undefined) return { status: 200, body: present(cancelled) };
      const { status } = await findJob(repository, workspaceId, id);
      throw new AppError('conflict', `This job has ended already: it is ${status}.`);
    },
  });
}

async function findJob(repository: RedeliveriesRepository, workspaceId: string, id: string) {
  const job = await repository.find(workspaceId, id);
  if (job === undefined) throw new AppError('not_found', 'There is no redelivery job with this id.');
  return job;
}

function present(job: StoredRedelivery): Redelivery {
  return {
    id: job.id,
    workspace_id: job.workspaceId,
    filter: job.filter,
    matched: job.matched,
    done: job.done,
    status: job.status,
    created_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
  };
}
