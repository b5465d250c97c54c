import { type CompileResult, createTemplateCompiler, type TemplateOptions } from './compile-template.js';
import { createNunjucksHost } from './host/nunjucks-host.js';

/** Characters of a rendered body; a destination gets 256 KiB at most. */
const MAX_BODY_LENGTH = 262_144;

/** The options of a webhook's body: safe to be JSON, `round` lenient, and a smaller output. */
export const BODY_OPTIONS = {
  json: true,
  lenientRound: true,
  limits: { outputLength: MAX_BODY_LENGTH },
} as const satisfies TemplateOptions;

/** Compiles webhook bodies, hosted in nunjucks. `overrides` are for tests. */
export function createBodyCompiler(overrides: TemplateOptions = {}): (source: string) => CompileResult {
  const compile = createTemplateCompiler({ ...BODY_OPTIONS, ...overrides });
  const host = createNunjucksHost();
  return (source) => {
    const compiled = compile(source);
    return compiled.ok ? { ok: true, template: host(compiled.template) } : compiled;
  };
}
