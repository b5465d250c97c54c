import type { TemplateOptions } from './compile-template.js';

/** Characters of a rendered body; a destination gets 256 KiB at most. */
const maxBodyLength = 262_144;

/** The options of a webhook's body: safe to be JSON, `round` lenient, and a smaller output. */
export const bodyOptions = {
  json: true,
  lenientRound: true,
  limits: { outputLength: maxBodyLength },
} as const satisfies TemplateOptions;
