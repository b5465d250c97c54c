import {
  cancellationSchema,
  createCancellationSchema,
  createDispatchSchema,
  createRedeliverySchema,
  dispatchSchema,
  type JobKind,
  redeliverySchema,
} from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  idParams,
  inWorkspace,
  orNotFound,
  pathIn,
  workspaceParams,
} from '../api-route.js';
import { authorOf } from '../change.js';
import { listQuery, listResponse } from '../lists/paging.js';
import { createAcceptJob } from './accept-job.js';
import { createJobsRepository, type StoredJob } from './jobs-repository.js';

const access = inWorkspace('delivery_redeliver');

/** Schemas, names and texts of each kind of job. Everything else is the same for all kinds. */
const kinds = [
  {
    kind: 'redelivery',
    plural: 'redeliveries',
    names: ['Redelivery', 'Redeliveries'],
    tag: 'deliveries',
    purpose: 'sends all ended deliveries that match a filter again',
    cancelled: 'Deliveries that the job has already opened are sent.',
    createSchema: createRedeliverySchema,
    schema: redeliverySchema,
  },
  {
    kind: 'dispatch',
    plural: 'dispatches',
    names: ['Dispatch', 'Dispatches'],
    tag: 'alerts',
    purpose: 'dispatches all alerts without deliveries that match a filter',
    cancelled: 'Alerts that the job has already dispatched are delivered.',
    createSchema: createDispatchSchema,
    schema: dispatchSchema,
  },
  {
    kind: 'cancellation',
    plural: 'cancellations',
    names: ['Cancellation', 'Cancellations'],
    tag: 'deliveries',
    purpose: 'ends all open deliveries that match a filter',
    cancelled: 'Deliveries that the job has already ended stay ended.',
    createSchema: createCancellationSchema,
    schema: cancellationSchema,
  },
] as const;

/** Returns the routes that add, read and cancel jobs. Workers carry out the jobs. */
export function jobRoutes(deps: ApiDeps): Route<Principal>[] {
  return kinds.flatMap((kind) => routesOf(kind, deps));
}

function routesOf(
  {
    kind,
    plural,
    names: [name, names],
    tag,
    purpose,
    cancelled,
    createSchema,
    schema,
  }: (typeof kinds)[number],
  { config, database, paging, searchLimiter }: ApiDeps,
): Route<Principal>[] {
  const collection = `${apiPrefix}/workspaces/{workspace_id}/${plural}`;
  const idName = `${kind}_id` as const;
  const single = `${collection}/{${idName}}`;
  const params = idParams('workspace_id', idName);
  const repository = createJobsRepository(database);
  const accept = createAcceptJob({ repository, searchLimiter, database });
  const load = async (job: { kind: JobKind; workspaceId: string; id: string }): Promise<StoredJob> =>
    orNotFound(await repository.find(job), `${kind} job`);
  return [
    defineRoute({
      method: 'POST',
      path: collection,
      operationId: `create${name}`,
      summary: `Starts a job that ${purpose}.`,
      description: 'The job includes all entries that match when it is accepted. Restarts do not end it.',
      tag,
      access,
      params: workspaceParams,
      body: createSchema,
      responses: { 202: { description: 'The job.', schema, headers: { Location: 'URL of the job.' } } },
      problems: [409, 503],
      async handler({ resource: { workspaceId }, body, log, ...request }) {
        const job = await accept({ kind, workspaceId, body, author: authorOf(request) });
        log({ job_id: job.id });
        const headers = { Location: `${config.publicUrl}${pathIn(collection, workspaceId)}/${job.id}` };
        return { status: 202, headers, body: present(job) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: `list${names}`,
      summary: `Lists the ${kind} jobs of a workspace, newest first.`,
      tag,
      access,
      params: workspaceParams,
      query: listQuery({}),
      responses: { 200: listResponse('The jobs.', schema) },
      handler: ({ resource: { workspaceId }, query }) =>
        paging.historyPage(
          { path: pathIn(collection, workspaceId), query },
          {
            read: (page) => repository.list({ kind, workspaceId, ...page }),
            count: (range, max) => repository.count({ kind, workspaceId, range }, max),
            idOf: ({ id }) => id,
            present,
          },
        ),
    }),
    defineRoute({
      method: 'GET',
      path: single,
      operationId: `get${name}`,
      summary: `Reads the progress of a ${kind} job.`,
      tag,
      access,
      params,
      responses: { 200: { description: 'The job.', schema } },
      problems: [404],
      async handler({ resource: { workspaceId }, params }) {
        return { status: 200, body: present(await load({ kind, workspaceId, id: params[idName] })) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: single,
      operationId: `cancel${name}`,
      summary: `Cancels a ${kind} job. ${cancelled}`,
      tag,
      access,
      params,
      responses: { 200: { description: 'The cancelled job.', schema } },
      problems: [404, 409],
      async handler({ resource: { workspaceId }, params, ...request }) {
        const job = { kind, workspaceId, id: params[idName] };
        const stopped = await repository.cancel(job, authorOf(request));
        if (stopped !== undefined) return { status: 200, body: present(stopped) };
        const { status } = await load(job);
        throw new AppError('conflict', `This job has ended already: its status is ${status}.`);
      },
    }),
  ];
}

function present({ id, filter, matched, done, status, ...job }: StoredJob) {
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
