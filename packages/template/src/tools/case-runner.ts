import { createTemplateCompiler } from '../compile-template.js';
import { fromJson, type Json } from '../values/from-json.js';

/** One line of a case file: a template, its context, and the JSON pointers of the values that are floats. */
export interface TemplateCase {
  readonly id: string;
  readonly template: string;
  readonly context: Readonly<Record<string, Json>>;
  readonly types?: Readonly<Record<string, string>>;
}

export type CaseAnswer =
  | { readonly id: string; readonly output: string }
  | { readonly id: string; readonly error: string; readonly phase: 'compile' | 'render' };

/** Answers cases as plain Jinja2 does, without JSON-safe output. */
export function createCaseRunner(): (templateCase: TemplateCase) => CaseAnswer {
  const compile = createTemplateCompiler();
  return ({ id, template, context, types = {} }) => {
    const compiled = compile(template);
    if (!compiled.ok) return { id, error: compiled.error.message, phase: compiled.error.phase };
    const isFloat = (pointer: string) => types[pointer] === 'float';
    const variables = Object.entries(context).map(
      ([name, value]) => [name, fromJson(value, isFloat, `/${name}`)] as const,
    );
    const result = compiled.template.render(new Map(variables));
    if (result.ok) return { id, output: result.output };
    return { id, error: result.error.message, phase: result.error.phase };
  };
}
