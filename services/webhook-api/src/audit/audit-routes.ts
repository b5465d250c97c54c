import { type AuditEvent, auditAction, auditEventSchema } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import {
  type ApiDeps,
  apiPrefix,
  inWorkspace,
  ofDeployment,
  pathIn,
  uuid,
  workspaceParams,
} from '../api-route.js';
import { listResponse, pageQuery, timeRangeQuery } from '../lists/paging.js';
import { createAuditEventsReader, type StoredAuditEvent } from './audit-events-reader.js';

const ofAll = `${apiPrefix}/audit_events`;
const ofWorkspace = `${apiPrefix}/workspaces/{workspace_id}/audit_events`;
const tag = 'audit';

const query = {
  type: 'object',
  additionalProperties: false,
  properties: {
    resource_id: uuid,
    principal: {
      type: 'string',
      minLength: 1,
      maxLength: 4_096,
      description: 'Issuer and subject, written as in events, or `system`.',
    },
    action: auditAction,
    ...timeRangeQuery,
    ...pageQuery,
  },
} as const;

export function auditRoutes({ database, paging, searches }: ApiDeps): Route<Principal>[] {
  const reader = createAuditEventsReader(database);
  return [
    defineRoute({
      method: 'GET',
      path: ofWorkspace,
      operationId: 'listAuditEvents',
      summary: 'Lists the changes in a workspace, newest first.',
      description: 'Requests that are refused or change no value have no event.',
      tag,
      access: inWorkspace('audit_read'),
      params: workspaceParams,
      query,
      responses: { 200: listResponse('The events.', auditEventSchema) },
      problems: [503],
      handler: ({ resource: { workspaceId }, query: filter }) =>
        paging.historyPage(
          { path: pathIn(ofWorkspace, workspaceId), query: filter },
          {
            read: (page) => searches.run(workspaceId, () => reader.list({ workspaceId, filter, ...page })),
            count: (range, max) =>
              searches.run(workspaceId, () => reader.count({ workspaceId, filter, range }, max)),
            idOf: ({ id }) => id,
            present,
          },
        ),
    }),
    defineRoute({
      method: 'GET',
      path: ofAll,
      operationId: 'listAllAuditEvents',
      summary: 'Lists the changes in all workspaces, and those of engine keys, newest first.',
      tag,
      access: ofDeployment('audit_read'),
      query,
      responses: { 200: listResponse('The events.', auditEventSchema) },
      problems: [503],
      handler: ({ query: filter }) =>
        paging.historyPage(
          { path: ofAll, query: filter },
          {
            read: (page) =>
              searches.run(null, () => reader.list({ workspaceId: undefined, filter, ...page })),
            count: (range, max) =>
              searches.run(null, () => reader.count({ workspaceId: undefined, filter, range }, max)),
            idOf: ({ id }) => id,
            present,
          },
        ),
    }),
  ];
}

function present({ time, ...event }: StoredAuditEvent): AuditEvent {
  return { ...event, time: time.toISOString() };
}
