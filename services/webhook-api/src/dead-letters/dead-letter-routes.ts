import { deadLetterSchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  emptyBody,
  idParams,
  inWorkspace,
  ofDeployment,
  pathIn,
  workspaceParams,
} from '../api-route.js';
import { authorOf } from '../change.js';
import { type HistoryRequest, historyQuery, listResponse } from '../lists/paging.js';
import { createDeadLettersRepository } from './dead-letters-repository.js';
import { presentDeadLetter } from './present-dead-letter.js';
import { createRequeueDeadLetter } from './requeue-dead-letter.js';

const collection = `${apiPrefix}/dead_letters`;
const inOneWorkspace = `${apiPrefix}/workspaces/{workspace_id}/dead_letters`;
const tag = 'dead letters';

const description =
  'At most 64 KiB of a message are shown, and a page with large messages ends early. A message is shown as ' +
  'JSON if its JSON can be written without loss, else as text (`encoding` is `utf-8`). JSON loses numbers ' +
  'that a double cannot hold, other notations of a number (except `1.0`), minus zero and repeated names.';

const query = historyQuery({
  requeued: {
    type: 'boolean',
    description: '`true`: only requeued dead letters; `false`: only the others.',
  },
});

export function deadLetterRoutes({
  database,
  publisher,
  paging,
  searchLimiter,
}: ApiDeps): Route<Principal>[] {
  const repository = createDeadLettersRepository(database);
  const requeue = createRequeueDeadLetter({ repository, publisher });
  const list = (
    request: HistoryRequest & { query: { requeued?: boolean } },
    workspaceId: string | undefined,
  ) => {
    const selection = { workspaceId, requeued: request.query.requeued };
    const search = <T>(run: () => Promise<T>) => searchLimiter.run(workspaceId ?? null, run);
    return paging.historyPage(request, {
      read: (page) => search(() => repository.list({ ...selection, ...page })),
      count: (range, max) => search(() => repository.count({ ...selection, range }, max)),
      idOf: ({ id }) => id,
      isBeyondBudget: ({ beyondBudget }) => beyondBudget,
      present: presentDeadLetter,
    });
  };
  return [
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listDeadLetters',
      summary: 'Lists the messages that could not be processed, newest first.',
      description,
      tag,
      access: ofDeployment('dead_letter_read'),
      query,
      responses: { 200: listResponse('The dead letters.', deadLetterSchema) },
      problems: [503],
      handler: ({ query }) => list({ path: collection, query }, undefined),
    }),
    defineRoute({
      method: 'GET',
      path: inOneWorkspace,
      operationId: 'listWorkspaceDeadLetters',
      summary: 'Lists the messages that name a workspace and could not be processed, newest first.',
      description,
      tag,
      access: inWorkspace('workspace_dead_letter_read'),
      params: workspaceParams,
      query,
      responses: { 200: listResponse('The dead letters.', deadLetterSchema) },
      problems: [503],
      handler: ({ resource: { workspaceId }, query }) =>
        list({ path: pathIn(inOneWorkspace, workspaceId), query }, workspaceId),
    }),
    defineRoute({
      method: 'POST',
      path: `${collection}/{dead_letter_id}/requeue`,
      operationId: 'requeueDeadLetter',
      summary: 'Publishes the message of a dead letter again.',
      description: 'A message over 1 MiB cannot be requeued (409), because only its beginning is stored.',
      tag,
      access: ofDeployment('dead_letter_requeue'),
      params: idParams('dead_letter_id'),
      body: emptyBody,
      responses: { 202: { description: 'The dead letter, marked as requeued.', schema: deadLetterSchema } },
      problems: [404, 409, 503],
      async handler({ params, log, ...request }) {
        log(params);
        const requeued = await requeue(params.dead_letter_id, authorOf(request));
        return { status: 202, body: presentDeadLetter(requeued) };
      },
    }),
  ];
}
