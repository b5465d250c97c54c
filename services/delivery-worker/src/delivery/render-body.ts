import { alertContext, createBodyCompiler, createTemplateCache, type TemplateError } from '@tocsin/template';
import type { AlertFacts } from './claim-repository.js';

type Rendered =
  | { ok: true; output: string }
  /** `internal_error` is an overrun of the clock, which says nothing about the template: it may be tried again. */
  | { ok: false; code: 'template_error' | 'invalid_json' | 'internal_error'; error: string };

export type RenderBody = (source: string, facts: AlertFacts) => Rendered;

/** Renders a webhook's body for an alert; what is not JSON then is not sent (contract §6). Compiled templates are kept. */
export function createRenderBody(): RenderBody {
  const templates = createTemplateCache(createBodyCompiler());
  return (source, facts) => {
    const compiled = templates.compile(source);
    if (!compiled.ok) return refused(compiled.error);
    const rendered = compiled.template.render(alertContext(facts));
    if (!rendered.ok) return refused(rendered.error);
    const fault = jsonFault(rendered.output);
    return fault === undefined ? rendered : { ok: false, code: 'invalid_json', error: fault };
  };
}

function refused({ kind, message, line, column }: TemplateError): Rendered {
  const code = kind === 'overrun' ? 'internal_error' : 'template_error';
  return { ok: false, code, error: `${message} (line ${line}, column ${column} of the template)` };
}

/** The place, but never the text: a body can hold credentials. */
function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    const place = line === undefined ? '' : `, at line ${line}, column ${column} of what was rendered`;
    return `The rendered body is not JSON${place}.`;
  }
}
