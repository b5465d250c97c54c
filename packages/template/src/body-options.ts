import type { TemplateOptions } from './compile-template.js';

/** Compiler options for webhook bodies: printed strings are escaped for JSON, and `round` accepts undefined values. */
export const bodyOptions = {
  json: true,
  lenientRound: true,
} as const satisfies TemplateOptions;
