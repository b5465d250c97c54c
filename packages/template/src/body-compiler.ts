import { bodyOptions } from './body-options.js';
import { type CompileResult, createTemplateCompiler, type TemplateOptions } from './compile-template.js';
import { createNunjucksHost } from './host/nunjucks-host.js';

/** Compiles webhook bodies, hosted in nunjucks. `overrides` are for tests. */
export function createBodyCompiler(overrides: TemplateOptions = {}): (source: string) => CompileResult {
  const compile = createTemplateCompiler({ ...bodyOptions, ...overrides });
  const host = createNunjucksHost();
  return (source) => {
    const compiled = compile(source);
    return compiled.ok ? { ok: true, template: host(compiled.template) } : compiled;
  };
}
