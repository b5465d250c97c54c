import { PreconditionFailedError } from '@tocsin/client/browser';

/**
 * Maximum number of attempts. An attempt fails with `PreconditionFailedError` only if another client changes the
 * resource between the read and the write.
 */
const maxTries = 5;

/**
 * Reads a resource and changes it with `If-Match`, so that changes by other clients are never overwritten. If the
 * resource changed after the read, both steps are repeated.
 * @throws PreconditionFailedError if the resource changed during each of the five attempts
 */
export async function changeRead<Resource extends { etag: string }, Saved>(
  read: () => Promise<Resource>,
  change: (resource: Resource, options: { ifMatch: string }) => Promise<Saved>,
): Promise<Saved> {
  for (let tries = 1; ; tries += 1) {
    const resource = await read();
    try {
      return await change(resource, { ifMatch: resource.etag });
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries >= maxTries) throw error;
    }
  }
}

/** Returns the ids without the given id. If `attach` is true, the given id is appended at the end. */
export function idsAfter(ids: readonly string[], { id, attach }: { id: string; attach: boolean }): string[] {
  const others = ids.filter((other) => other !== id);
  return attach ? [...others, id] : others;
}
