import { createTemplateCompiler, Dict, type Value } from '@tocsin/template';
import { readJson } from './read-json.js';

export type CaseResult =
  | { readonly id: string; readonly output: string }
  | { readonly id: string; readonly error: string; readonly phase: 'compile' | 'render' };

interface TemplateCase {
  readonly id: string;
  readonly template: string;
  readonly variables: ReadonlyMap<string, Value>;
}

/** The filter `random` chooses the first item, as in `oracle.py`. */
const chooseFirst = () => 0;

/** Creates a function that renders a case without JSON escapes, like Jinja2. A case is one line of JSON. */
export function createCaseRunner(): (line: string) => CaseResult {
  return createRunner(createTemplateCompiler(), (read) => read);
}

/**
 * Creates a function that renders a case in a template for JSON, and captures its output in a block. Its variables that
 * are texts are captured too, so that the case applies its operations to captured text of a template.
 */
export function createCapturedCaseRunner(): (line: string) => CaseResult {
  const run = createRunner(createTemplateCompiler({ json: true }), captureCase);
  return (line) => {
    const result = run(line);
    return 'output' in result ? { id: result.id, output: String(JSON.parse(result.output)) } : result;
  };
}

function captureCase({ id, template, variables }: TemplateCase): TemplateCase {
  const kept = new Map(variables);
  let captures = '';
  for (const [name, value] of variables) {
    if (typeof value !== 'string' || /\r|\{%/.test(value)) continue;
    captures += `{% set ${name} %}{% raw %}${value}{% endraw %}{% endset %}`;
    kept.delete(name);
  }
  // Jinja2 removes the line end at the end of a template. Inside of the block it would stay.
  const body = template.replace(/\r?\n$/, '');
  const captured = `{% set captured_output %}${body}{% endset %}{{ captured_output | tojson }}`;
  return { id, template: captures + captured, variables: kept };
}

function createRunner(
  compile: ReturnType<typeof createTemplateCompiler>,
  change: (read: TemplateCase) => TemplateCase,
): (line: string) => CaseResult {
  return (line) => {
    const { id, template, variables } = change(readCase(line));
    const compiled = compile(template);
    if (!compiled.ok) return { id, error: compiled.error.message, phase: compiled.error.phase };
    const result = compiled.template.trace(new Map(variables), [], { choose: chooseFirst });
    if (result.ok) return { id, output: result.output };
    return { id, error: result.error.message, phase: result.error.phase };
  };
}

/**
 * Reads a case `{id, template, context, types}`. `types` contains the JSON pointers of the values in `context` that are
 * floats in Python, because JSON does not distinguish `5.0` from `5`.
 */
function readCase(line: string): TemplateCase {
  const parsed = readJson(line);
  if (!(parsed instanceof Dict)) throw new TypeError('a case must be a JSON object');
  const types = parsed.getString('types');
  const isFloat = (pointer: string) => types instanceof Dict && types.getString(pointer) === 'float';
  const context = restoreFloats(parsed.getString('context') ?? null, isFloat, '');
  const entries = context instanceof Dict ? [...context.entries()] : [];
  return {
    id: String(parsed.getString('id')),
    template: String(parsed.getString('template')),
    variables: new Map(entries.map(([name, value]) => [String(name), value])),
  };
}

function restoreFloats(value: Value, isFloat: (pointer: string) => boolean, pointer: string): Value {
  if (typeof value === 'bigint') return isFloat(pointer) ? Number(value) : value;
  if (Array.isArray(value)) {
    return value.map((item, index) => restoreFloats(item, isFloat, `${pointer}/${index}`));
  }
  if (!(value instanceof Dict)) return value;
  return Dict.fromStrings(
    Array.from(value.entries(), ([key, item]): [string, Value] => [
      String(key),
      restoreFloats(item, isFloat, `${pointer}/${escapePointer(String(key))}`),
    ]),
  );
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
