import type { FileFault } from './read-workspace-file.js';

interface Entry {
  name: string;
  id?: string;
  external_id?: string;
}

interface Resource {
  id: string;
  external_id: string | null;
}

/** An entry of a file and the resource that it describes. */
export interface Match<E extends Entry, R extends Resource> {
  entry: E;
  /** JSON pointer of the entry. */
  path: string;
  /** The stored resource, or undefined if it does not exist yet. */
  current: R | undefined;
  /** The external id in the entry, or `{namespace}/{name}` if the entry has none. */
  externalId: string;
}

export interface Matches<E extends Entry, R extends Resource> {
  matches: Match<E, R>[];
  /** Resources that belong to the namespace and have no entry in the file. */
  left: R[];
}

/**
 * Finds the resource of each entry: by the external id in the entry, else by its id. The external id of an entry
 * without `external_id` is `{namespace}/{name}`, which is compared after the id.
 */
export function matchEntries<E extends Entry, R extends Resource>(
  { entries, resources, path }: { entries: readonly E[]; resources: readonly R[]; path: string },
  { namespace, faults }: { namespace: string; faults: FileFault[] },
): Matches<E, R> {
  const byExternalId = new Map(resources.map((resource) => [resource.external_id, resource]));
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const prefix = `${namespace}/`;
  const matches = entries.map((entry, index): Match<E, R> => {
    const externalId = entry.external_id ?? `${prefix}${entry.name}`;
    const current =
      (entry.external_id !== undefined ? byExternalId.get(externalId) : undefined) ??
      (entry.id !== undefined ? byId.get(entry.id.toLowerCase()) : undefined) ??
      byExternalId.get(externalId);
    return { entry, path: `${path}/${index}`, current, externalId };
  });
  faults.push(...duplicateFaults(matches), ...matches.flatMap(lengthFaults));
  const found = new Set(matches.map(({ current }) => current));
  const left = resources.filter(
    (resource) => resource.external_id?.startsWith(prefix) && !found.has(resource),
  );
  return { matches, left };
}

function duplicateFaults(matches: Match<Entry, Resource>[]): FileFault[] {
  const seen = new Map<string, number>();
  return matches.flatMap(({ path, current, externalId }, index) => {
    const key = current === undefined ? `new ${externalId}` : `id ${current.id}`;
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, index);
      return [];
    }
    const message = `is the same resource as entry ${first + 1}, with the external id ${externalId}; give each an external_id`;
    return [{ path, message }];
  });
}

/**
 * Maximum length of an external id in characters. The schema has the same limit, so only an external id made of
 * namespace and name can be longer.
 */
const maxExternalId = 255;

function lengthFaults({ path, current, externalId }: Match<Entry, Resource>): FileFault[] {
  if (current !== undefined || externalId.length <= maxExternalId) return [];
  const message = `is too long to become the external id; give an external_id of ${maxExternalId} characters at most`;
  return [{ path: `${path}/name`, message }];
}
