import {
  type BodyCheck,
  createBodyChecker,
  createBodyCompiler,
  findJsonFault,
  type TemplateError,
} from '@tocsin/template';
import type { WebhookChecks } from './check-webhook.js';
import type { SampleRenderer } from './render-sample.js';
import { sampleContext } from './sample-context.js';

/** Templates as saving and trying them see them. */
export function createTemplates(): SampleRenderer & Pick<WebhookChecks, 'checkTemplate'> {
  const compile = createBodyCompiler();
  const check = rememberLast(createBodyChecker());
  return {
    render(body, context) {
      const compiled = compile(body);
      const result = compiled.ok ? compiled.template.render(sampleContext(context)) : compiled;
      if (!result.ok)
        return { ok: false, code: codeOf(result.error), message: place(result.error), rendered: null };
      const fault = findJsonFault(result.output);
      if (fault === undefined) return { ok: true, rendered: result.output };
      // The checker knows the place in the template, of what the sample values alone bring out.
      const checked = Object.keys(context).length === 0 ? check(body) : undefined;
      const message =
        checked?.ok === false && !checked.overran
          ? checked.errors.map(place).join(' ')
          : `the result is not JSON: ${place(fault)}`;
      return { ok: false, code: 'invalid_json', message, rendered: result.output };
    },
    checkTemplate(body) {
      const checked = check(body);
      const problems = checked.ok ? [] : checked.errors.map(place);
      const warnings = checked.warnings.map((warning) => `body: ${place(warning)}`);
      return { problems, warnings, ...(!checked.ok && checked.overran && { tookTooLong: true }) };
    },
  };
}

/** A preview asks twice. */
function rememberLast(check: (body: string) => BodyCheck): (body: string) => BodyCheck {
  let last: { body: string; checked: BodyCheck } | undefined;
  return (body) => {
    if (last?.body === body) return last.checked;
    const checked = check(body);
    // The same body may pass at a quieter time.
    last = !checked.ok && checked.overran ? undefined : { body, checked };
    return checked;
  };
}

/** A wall-clock overrun says something about this machine; everything else about the template. */
function codeOf({ kind }: TemplateError): 'internal_error' | 'template_error' {
  return kind === 'overrun' ? 'internal_error' : 'template_error';
}

function place({ line, column, message }: { line: number; column: number; message: string }): string {
  return `line ${line}, column ${column}: ${message}`;
}
