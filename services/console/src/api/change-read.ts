import { PreconditionFailedError } from '@tocsin/client/browser';

/** Tries of a change. Each one fails only if somebody else changed the resource between its two requests. */
const maxTries = 5;

/**
 * Changes a resource depending on what it is now: reads it, and changes it only in the version that was read, else again.
 * @throws PreconditionFailedError if others change it all the time
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
