import {
  type AlertFacts,
  alertContext,
  createBodyCompiler,
  createTemplateCache,
  findJsonFault,
  type TemplateError,
} from '@tocsin/template';

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
    const fault = findJsonFault(rendered.output);
    if (fault === undefined) return rendered;
    // The place, but never the text: a body can hold credentials.
    const place = `line ${fault.line}, column ${fault.column} of what was rendered`;
    return {
      ok: false,
      code: 'invalid_json',
      error: `The rendered body is not JSON: ${fault.message} (${place}).`,
    };
  };
}

function refused({ kind, message, line, column }: TemplateError): Rendered {
  const code = kind === 'overrun' ? 'internal_error' : 'template_error';
  return { ok: false, code, error: `${message} (line ${line}, column ${column} of the template)` };
}
