import { AppError } from '../app-error.js';

/** Returns the strong ETag (RFC 9110 §8.8.3) of a version, quotes included. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Evaluates `If-Match` (RFC 9110 §13.1.1) for a resource that exists. Without the header, or with `*`, every version
 * matches. A list must contain the ETag of the version; weak ETags and invalid ETags never match.
 * @throws AppError `precondition_failed` that names the current ETag
 */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const etag = etagOf(version);
  // The ETags from `etagOf` contain no comma, so splitting the list at its commas finds every ETag that can match.
  if (ifMatch.split(',').some((listed) => listed.trim() === etag)) return;
  const detail = `If-Match does not contain the current ETag, which is ${etag} (with the quotes). Read the resource again, and repeat the request with its ETag if the change still fits.`;
  throw new AppError('precondition_failed', detail, { extra: { etag } });
}
