import { createTemplateCompiler } from '../compile-template.js';
import { Dict } from '../values/dict.js';
import type { Value } from '../values/value.js';
import { readJson } from './read-json.js';

export type CaseAnswer =
  | { readonly id: string; readonly output: string }
  | { readonly id: string; readonly error: string; readonly phase: 'compile' | 'render' };

/**
 * Answers cases, each a line of JSON `{id, template, context, types}`, as plain Jinja2 does; `types` holds the JSON
 * pointers of the values in `context` that are floats.
 */
export function createCaseRunner(): (line: string) => CaseAnswer {
  const compile = createTemplateCompiler();
  return (line) => {
    const parsed = readJson(line);
    if (!(parsed instanceof Dict)) throw new TypeError('a case is an object');
    const id = String(parsed.getString('id'));
    const compiled = compile(String(parsed.getString('template')));
    if (!compiled.ok) return { id, error: compiled.error.message, phase: compiled.error.phase };
    const result = compiled.template.render(variablesOf(parsed));
    if (result.ok) return { id, output: result.output };
    return { id, error: result.error.message, phase: result.error.phase };
  };
}

function variablesOf(parsed: Dict): Map<string, Value> {
  const context = parsed.getString('context') ?? null;
  const types = parsed.getString('types');
  const isFloat = (pointer: string) => types instanceof Dict && types.getString(pointer) === 'float';
  const restored = restoreFloats(context, isFloat, '');
  const entries = restored instanceof Dict ? [...restored.entries()] : [];
  return new Map(entries.map(([name, value]) => [String(name), value]));
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
      restoreFloats(item, isFloat, `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ]),
  );
}
