import nunjucks from 'nunjucks';
import { bodyOptions } from '../body-options.js';
import type { RenderResult, Template, TemplateContext } from '../compile-template.js';
import { type CompileResult, createTemplateCompiler, type TemplateOptions } from '../compile-template.js';

/** Passes the variables and the seed to a rendering by nunjucks. The rendering stores its result in `result`. */
interface RenderCall {
  readonly variables: TemplateContext;
  readonly seed: string | undefined;
  result: RenderResult | null;
}

/** The part of nunjucks' context that compiled code uses. */
interface NunjucksContext {
  lookup(name: 'call'): RenderCall;
}

type RootCallback = (error: Error | null, output: string | null) => void;

/** nunjucks' format of a precompiled template. */
interface CompiledCode {
  readonly type: 'code';
  readonly obj: {
    root(
      environment: unknown,
      context: NunjucksContext,
      frame: unknown,
      runtime: unknown,
      done: RootCallback,
    ): void;
  };
}

/**
 * Creates a function that wraps templates in `nunjucks.Template` objects of one environment. The compiled code of each
 * object is a `root` function that calls the evaluator of this package. The lexer, compiler, runtime and filters of
 * nunjucks never get the text of a template, because nunjucks could execute code that the text contains.
 */
export function createNunjucksHost(): (template: Template) => Template {
  const environment = new nunjucks.Environment([]);
  return (template) => {
    const code: CompiledCode = {
      type: 'code',
      obj: {
        root(_environment, context, _frame, _runtime, done) {
          const call = context.lookup('call');
          const result = template.render(call.variables, call.seed);
          call.result = result;
          done(null, result.ok ? result.output : null);
        },
      },
    };
    // The published types of the constructor do not include precompiled code.
    const hosted = new nunjucks.Template(code as unknown as string, environment);
    return {
      source: template.source,
      render(variables, seed) {
        const call: RenderCall = { variables, seed, result: null };
        hosted.render({ call });
        if (call.result === null) throw new Error('nunjucks did not call the template');
        return call.result;
      },
    };
  };
}

/** Creates a function that compiles webhook bodies into nunjucks templates. Only tests use `overrides`. */
export function createBodyCompiler(overrides: TemplateOptions = {}): (source: string) => CompileResult {
  const compile = createTemplateCompiler({ ...bodyOptions, ...overrides });
  const host = createNunjucksHost();
  return (source) => {
    const compiled = compile(source);
    return compiled.ok ? { ok: true, template: host(compiled.template) } : compiled;
  };
}
