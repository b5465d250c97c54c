import { PreconditionFailedError, type Tagged } from '@tocsin/client/browser';

/**
 * Maximum number of times that a change is tried. Each try reads the resource and then writes it. A try fails with
 * `PreconditionFailedError` only if another client changes the resource between the read and the write.
 */
const maxTries = 5;

/**
 * Reads a resource and changes it with `If-Match`, so that changes by other clients are never overwritten. If another
 * client changed the resource after the read, the read and the write are repeated.
 * @throws PreconditionFailedError if the resource changed during each of the five tries
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

/** Returns `ids` without `id` if `attach` is false, and with `id` at the end if `attach` is true. */
export function idsAfter(ids: readonly string[], { id, attach }: { id: string; attach: boolean }): string[] {
  const others = ids.filter((other) => other !== id);
  return attach ? [...others, id] : others;
}

/**
 * Error: the record was changed after it was loaded, for example by another user. `current` is the version on the
 * server.
 */
export class ChangedMeanwhileError<Resource> extends Error {
  readonly current: Tagged<Resource>;

  constructor(kind: string, current: Tagged<Resource>) {
    super(`Somebody else changed this ${kind} while you were editing it.`);
    this.name = 'ChangedMeanwhileError';
    this.current = current;
  }
}

/** Returns `error` if it is a conflict with another user's change of the edited record, and otherwise undefined. */
export function asConflict<Resource>(error: Error | null): ChangedMeanwhileError<Resource> | undefined {
  return error instanceof ChangedMeanwhileError ? error : undefined;
}

/**
 * Sends a change of a record that a user edited. If the API rejects it because of `If-Match`, reads the current
 * version.
 * @throws ChangedMeanwhileError if the server has another version than the edited one
 */
export async function changeEdited<Resource, Saved>(
  kind: string,
  change: () => Promise<Saved>,
  read: () => Promise<Tagged<Resource>>,
): Promise<Saved> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    throw new ChangedMeanwhileError(kind, await read());
  }
}
