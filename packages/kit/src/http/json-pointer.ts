const maxNameLength = 200;

/** The JSON pointer (RFC 6901) of a member; a very long name is cut, for pointers are read by people. */
export function childPointer(parent: string, name: string): string {
  return `${parent}/${name.slice(0, maxNameLength).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
