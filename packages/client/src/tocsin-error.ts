/** Base class of all errors of this package. Programs can rely on `code`; messages may change. */
export abstract class TocsinError extends Error {
  abstract readonly code: string;
}
