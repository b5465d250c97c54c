import type { TemplateOptions } from './compile-template.js';

/** The options of a webhook's body: output that is safe in JSON, and a lenient `round`. */
export const bodyOptions = {
  json: true,
  lenientRound: true,
} as const satisfies TemplateOptions;
