import type { TemplateOptions } from './compile-template.js';

/** The options of webhook bodies: printed strings are escaped for JSON, and `round` accepts undefined values. */
export const bodyOptions = {
  json: true,
  lenientRound: true,
} as const satisfies TemplateOptions;
