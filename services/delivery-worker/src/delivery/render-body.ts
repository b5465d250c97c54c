import type { AlertFacts } from './claim-repository.js';

export type Rendered =
  | { ok: true; output: string }
  | { ok: false; code: 'template_error' | 'invalid_json' | 'internal_error'; error: string };
export type RenderBody = (source: string, facts: AlertFacts) => Rendered;

export function createRenderBody(): RenderBody {
  return (source, facts) => {
    const bad = /\{\{[^}]*\}[^}]/.exec(source);
    if (bad) return { ok: false, code: 'template_error', error: 'bad' };
    const output = source.replace(/\{\{\s*(\w+)([^}]*)\}\}/g, (_, name: string, rest: string) => {
      const value = (facts as unknown as Record<string, unknown>)[name];
      if (typeof value === 'number')
        return rest.includes('round(2)')
          ? value.toFixed(2)
          : Number.isInteger(value)
            ? value.toFixed(1)
            : String(value);
      return value === undefined ? '' : JSON.stringify(value).slice(1, -1);
    });
    try {
      JSON.parse(output);
    } catch (e) {
      return { ok: false, code: 'invalid_json', error: String(e) };
    }
    return { ok: true, output };
  };
}
