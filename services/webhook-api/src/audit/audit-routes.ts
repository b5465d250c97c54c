import { type AuditEvent, auditAction, auditEventSchema, uuid } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, ofDeployment, pathIn, workspaceParams } from '../api-route.js';
import { historyQuery, listResponse } from '../lists/paging.js';
import {
  type AuditSelection,
  createAuditEventsReader,
  type StoredAuditEvent,
} from './audit-events-reader.js';

const ofAll = `${apiPrefix}/audit_events`;
const ofWorkspace = `${apiPrefix}/workspaces/{workspace_id}/audit_events`;
const tag = 'audit';

const query = historyQuery({
  resource_id: uuid,
  principal: {
    type: 'string',
    minLength: 1,
    maxLength: 4_096,
    description: 'Issuer and subject, written as in events, or `system`.',
  },
  action: auditAction,
});

export function auditRoutes({ database, paging, searchLimiter }: ApiDeps): Route<Principal>[] {
  const reader = createAuditEventsReader(database);
  const list = (path: string, selection: AuditSelection) => {
    const search = <T>(run: () => Promise<T>) => searchLimiter.run(selection.workspaceId ?? null, run);
    return paging.historyPage(
      { path, query: selection.filter },
      {
        read: (page) => search(() => reader.list({ ...selection, ...page })),
        count: (range, max) => search(() => reader.count({ ...selection, range }, max)),
        idOf: ({ id }) => id,
        present,
      },
    );
  };
  return [
    defineRoute({
      method: 'GET',
      path: ofWorkspace,
      operationId: 'listAuditEvents',
      summary: 'Lists the changes in a workspace, newest first.',
      description: 'Requests that are rejected or change no value have no event.',
      tag,
      access: inWorkspace('audit_read'),
      params: workspaceParams,
      query,
      responses: { 200: listResponse('The events.', auditEventSchema) },
      problems: [503],
      handler: ({ resource: { workspaceId }, query: filter }) =>
        list(pathIn(ofWorkspace, workspaceId), { workspaceId, filter }),
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
      handler: ({ query: filter }) => list(ofAll, { workspaceId: undefined, filter }),
    }),
  ];
}

function present({ time, ...event }: StoredAuditEvent): AuditEvent {
  return { ...event, time: time.toISOString() };
}
