/** Every error that this package throws on purpose. `code` is stable; the message is for people. */
export abstract class TocsinError extends Error {
  abstract readonly code: string;
}
