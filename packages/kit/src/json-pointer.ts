const maxNameLength = 200;

/**
 * Returns the JSON pointer (RFC 6901) of a member. Names are truncated to 200 characters, because the pointer is only
 * shown to people.
 */
export function childPointer(parent: string, name: string): string {
  return `${parent}/${escapePointer(name.slice(0, maxNameLength))}`;
}

/** Escapes a name for a JSON pointer (RFC 6901 §3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
