import { createRedeliverySchema, type Redelivery, redeliverySchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  idParams,
  inWorkspace,
  notFound,
  pathIn,
  principalName,
  workspaceParams,
} from '../api-route.js';
import { listResponse, pageQuery } from '../lists/paging.js';
import { createAcceptRedelivery } from './accept-redelivery.js';
import { createRedeliveriesRepository, type StoredRedelivery } from './redeliveries-repository.js';

const collection = `${apiPrefix}/workspaces/{workspace_id}/redeliveries`;
const single = `${collection}/{redelivery_id}`;
const params = idParams('workspace_id', 'redelivery_id');
const access = inWorkspace('delivery_redeliver');
const tag = 'deliveries';

/** Bulk redelivery as jobs, which workers carry out. */
export function redeliveryRoutes({ config, database, paging, searches }: ApiDeps): Route<Principal>[] {
  const repository = createRedeliveriesRepository(database);
  const accept = createAcceptRedelivery({ repository, searches, database });
  const load = async (workspaceId: string, id: string): Promise<StoredRedelivery> => {
    const job = await repository.find(workspaceId, id);
    if (job === undefined) throw notFound('redelivery job');
    return job;
  };
  return [
    defineRoute({
      method: 'POST',
      path: collection,
      operationId: 'createRedelivery',
      summary: 'Starts a job that sends all ended deliveries that match a filter again.',
      description: 'The job includes the deliveries that match when it is accepted. It survives restarts.',
      tag,
      access,
      params: workspaceParams,
      body: createRedeliverySchema,
      responses: {
        202: { description: 'The job.', schema: redeliverySchema, headers: { Location: 'URL of the job.' } },
      },
      problems: [409, 503],
      async handler({ resource: { workspaceId }, body, principal, log }) {
        const job = await accept({ workspaceId, body, createdBy: principalName(principal) });
        log({ redelivery_id: job.id });
        const headers = { Location: `${config.publicUrl}${pathIn(collection, workspaceId)}/${job.id}` };
        return { status: 202, headers, body: present(job) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listRedeliveries',
      summary: 'Lists the redelivery jobs of a workspace, newest first.',
      tag,
      access,
      params: workspaceParams,
      query: { type: 'object', additionalProperties: false, properties: pageQuery },
      responses: { 200: listResponse('The jobs.', redeliverySchema) },
      handler: ({ resource: { workspaceId }, query }) =>
        paging.historyPage(
          { path: pathIn(collection, workspaceId), query },
          { read: (page) => repository.list({ workspaceId, ...page }), idOf: ({ id }) => id, present },
        ),
    }),
    defineRoute({
      method: 'GET',
      path: single,
      operationId: 'getRedelivery',
      summary: 'Reads the progress of a redelivery job.',
      tag,
      access,
      params,
      responses: { 200: { description: 'The job.', schema: redeliverySchema } },
      problems: [404],
      async handler({ resource: { workspaceId }, params: { redelivery_id: id } }) {
        return { status: 200, body: present(await load(workspaceId, id)) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: single,
      operationId: 'cancelRedelivery',
      summary: 'Cancels a redelivery job. Deliveries that it has opened already are sent.',
      tag,
      access,
      params,
      responses: { 200: { description: 'The cancelled job.', schema: redeliverySchema } },
      problems: [404, 409],
      async handler({ resource: { workspaceId }, params: { redelivery_id: id } }) {
        const cancelled = await repository.cancel(workspaceId, id);
        if (cancelled !== undefined) return { status: 200, body: present(cancelled) };
        const { status } = await load(workspaceId, id);
        throw new AppError('conflict', `This job has ended already: its status is ${status}.`);
      },
    }),
  ];
}

function present({ id, filter, matched, done, status, ...job }: StoredRedelivery): Redelivery {
  return {
    id,
    workspace_id: job.workspaceId,
    filter,
    matched,
    done,
    status,
    created_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
  };
}
