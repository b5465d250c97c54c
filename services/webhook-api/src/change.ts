import { isDeepStrictEqual } from 'node:util';
import type { AuditAuthor } from '@tocsin/database';
import { type Principal, principalId } from '@tocsin/identity';
import { etagOf, requireMatch } from '@tocsin/kit';

/** The author of a change, and the check of the request's `If-Match` header. */
export interface ChangeAuthor extends AuditAuthor {
  /**
   * Checks the header `If-Match`, if the request has one. It must be called within the transaction of the change.
   * @throws AppError `precondition_failed` if the header does not name this version
   */
  requireVersion(version: number): void;
}

interface ChangeRequest {
  principal: Principal;
  requestId: string;
  ifMatch: string | undefined;
}

export function authorOf({ principal, requestId, ifMatch }: ChangeRequest): ChangeAuthor {
  return {
    principal: principalId(principal),
    principalName: principal.display,
    requestId,
    requireVersion: (version) => requireMatch(ifMatch, version),
  };
}

/** Returns the response header with the ETag of a resource. */
export function etagHeader({ version }: { version: number }): { ETag: string } {
  return { ETag: etagOf(version) };
}
export const etagDescription = {
  ETag: 'Changes with the writable fields of the resource, and with the signing secrets of a webhook; for `If-Match` of a change.',
} as const;

/** Returns the names of the fields whose values differ, in the order of `after`. */
export function changedFields(before: object, after: object): string[] {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => !isDeepStrictEqual(value, known.get(name)))
    .map(([name]) => name);
}

/** Converts a time of a request; null removes the time. */
export function toDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
