import { alertContext, createBodyCompiler, SAMPLE_ALERTS, type TemplateError } from '@tocsin/template';
import type { WebhookChecks } from './check-webhook.js';
import type { SampleRenderer } from './render-sample.js';
import { sampleContext } from './sample-context.js';

/** Templates as saving and trying them see them. */
export function createTemplates(): SampleRenderer & Pick<WebhookChecks, 'checkTemplate'> {
  const compile = createBodyCompiler();
  return {
    render(body, context) {
      const compiled = compile(body);
      const result = compiled.ok ? compiled.template.render(sampleContext(context)) : compiled;
      if (!result.ok) return { ok: false, ...explain(result.error), rendered: null };
      const fault = jsonFault(result.output);
      if (fault === undefined) return { ok: true, rendered: result.output };
      return { ok: false, code: 'invalid_json', message: fault, rendered: result.output };
    },
    checkTemplate(body) {
      const compiled = compile(body);
      if (!compiled.ok) return { problem: explain(compiled.error).message, warnings: [] };
      for (const facts of SAMPLE_ALERTS) {
        const result = compiled.template.render(alertContext(facts));
        const problem = result.ok ? jsonFault(result.output) : explain(result.error).message;
        if (problem !== undefined) return { problem, warnings: [] };
      }
      return { problem: undefined, warnings: [] };
    },
  };
}

/** A wall-clock overrun says something about this machine; everything else about the template. */
function explain({ kind, message, line, column }: TemplateError): { code: string; message: string } {
  const code = kind === 'overrun' ? 'internal_error' : 'template_error';
  return { code, message: `line ${line}, column ${column}: ${message}` };
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `the rendered body is not JSON: ${error instanceof Error ? error.message : ''}`;
  }
}
