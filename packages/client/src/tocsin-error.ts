/** Base class of all errors of this package. `code` is stable; the message is for people. */
export abstract class TocsinError extends Error {
  abstract readonly code: string;
}
