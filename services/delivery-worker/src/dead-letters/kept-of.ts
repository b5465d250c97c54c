/**
 * Ours have a few kilobytes; another publisher may add members that nobody reads, but a value of the size that the broker
 * takes (128 MiB) would cost more memory than the process has, and what it took down would be handed to the next.
 */
export const maxAlertBytes = 1_048_576;

/** More than is ever shown of one, so that it is shown as cut. */
const keptBytes = 131_072;

/** All of what could be an alert, so that it can be put back; of anything larger the beginning. */
export function keptOf(content: Buffer): Buffer {
  return content.length > maxAlertBytes ? content.subarray(0, keptBytes) : content;
}
