import { readFileSync } from 'node:fs';
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

function main(file: string | undefined): void {
  if (file === undefined) {
    process.stderr.write('usage: npm run -s template:cases -- FILE\n');
    process.exitCode = 2;
    return;
  }
  const run = createCaseRunner();
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const line of lines) {
    if (line.trim() === '') continue;
    process.stdout.write(`${JSON.stringify(run(JSON.parse(line) as TemplateCase))}\n`);
  }
}

main(process.argv[2]);
