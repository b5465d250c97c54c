import type { ApiRequest, Send } from './transport.js';

/** A resource with the ETag of the version in the response. Pass the ETag as `ifMatch` of a later change. */
export type Tagged<Resource> = Resource & { etag: string };

/** Sends a request whose response has an ETag. */
export async function sendTagged<Resource extends object>(
  send: Send,
  request: ApiRequest,
): Promise<Tagged<Resource>> {
  const { body, headers } = await send<Resource>(request);
  return { ...body, etag: headers.get('etag') ?? '' };
}
