import { deadLetterSchema } from '@tocsin/contracts';
import { defineRoute, type Permission, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { apiPrefix } from '../api-route.js';
import { listResponse, type Paging, pageQuery } from '../lists/paging.js';
import type { Searches } from '../lists/searches.js';
import { idRange, timeRangeQuery } from '../lists/time-range.js';
import type { DeadLettersRepository, StoredDeadLetter } from './dead-letters-repository.js';
import { presentDeadLetter } from './present-dead-letter.js';
import type { createRequeueDeadLetter } from './requeue-dead-letter.js';

export interface DeadLetterRoutesDeps {
  repository: Pick<DeadLettersRepository, 'list'>;
  searches: Searches;
  requeue: ReturnType<typeof createRequeueDeadLetter>;
  paging: Paging;
}

const collection = `${apiPrefix}/dead_letters`;
const tag = 'dead letters';

const deadLetterParams = {
  type: 'object',
  additionalProperties: false,
  properties: { dead_letter_id: { type: 'string', format: 'uuid' } },
  required: ['dead_letter_id'],
} as const;

/** Listing messages that were set aside, and putting one back. */
export function deadLetterRoutes(deps: DeadLetterRoutesDeps): Route<Principal>[] {
  return [listRoute(deps), requeueRoute(deps)];
}

function listRoute({ repository, searches, paging }: DeadLetterRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'GET',
    path: collection,
    operationId: 'listDeadLetters',
    summary: 'Lists the messages that could not be processed, newest first.',
    description:
      'Of a message, 64 KiB are shown; a page ends early where they are large. A message is shown as JSON where ' +
      'that says what it said, else as its text (`encoding` is `utf-8`): with a number that a double does not hold ' +
      'or that is not in its shortest form (`1.0` aside), a minus zero, or a name twice in one object.',
    tag,
    access: ofDeployment('dead_letter_read'),
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        requeued: { type: 'boolean', description: 'Only those that were put back, or only the others.' },
        ...timeRangeQuery,
        ...pageQuery,
      },
    },
    responses: { 200: listResponse('The dead letters.', deadLetterSchema) },
    problems: [503],
    async handler({ query }) {
      const list = { path: collection, query };
      const { limit: wanted = 50, requeued } = query;
      const range = idRange(query, paging.positionOf(list));
      const found = await searches.run(null, () => repository.list({ range, requeued, limit: wanted + 1 }));
      const limit = Math.min(wanted, found.filter((letter) => !letter.beyondBudget).length);
      const keyOf = (letter: StoredDeadLetter) => [letter.id];
      const { rows, headers } = paging.page(list, found, { limit, keyOf });
      return { status: 200, headers, body: rows.map(presentDeadLetter) };
    },
  });
}

function requeueRoute({ requeue }: DeadLetterRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: `${collection}/{dead_letter_id}/requeue`,
    operationId: 'requeueDeadLetter',
    summary: 'Puts a message back, to be processed again.',
    description: 'Of a message of more than 1 MiB only the beginning was kept: it cannot be put back (409).',
    tag,
    access: ofDeployment('dead_letter_requeue'),
    params: deadLetterParams,
    body: { type: 'object', additionalProperties: false },
    responses: { 202: { description: 'The dead letter, put back.', schema: deadLetterSchema } },
    problems: [404, 409, 503],
    handler: async ({ params }) => ({
      status: 202,
      body: presentDeadLetter(await requeue(params.dead_letter_id)),
    }),
  });
}

function ofDeployment<const P extends Permission>(permission: P) {
  return { permission, locate: () => ({ workspaceId: null, resource: undefined }) };
}
