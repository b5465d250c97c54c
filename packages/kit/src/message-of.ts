/** Returns the message of an error, or the text of a value that is not an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
