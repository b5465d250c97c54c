import type { Principal } from '@tocsin/identity';

/** One text for a caller, for records and limits. An issuer has no fragment, so the first `#` parts the two. */
export function principalName({ issuer, subject }: Principal): string {
  return `${issuer}#${subject}`;
}
