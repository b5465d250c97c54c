import type { Preview } from '@tocsin/contracts';
import { createTimeBudget, invalidBody, requireWithinLimit } from '@tocsin/kit';
import {
  type AlertFacts,
  type BodyCheck,
  createBodyChecker,
  createBodyCompiler,
  findJsonFault,
  sampleContext,
  sampleFacts,
  type TemplateError,
} from '@tocsin/template';

/** Values of template variables, in place of sample values or in addition to them. */
type GivenContext = Readonly<Record<string, unknown>>;

interface ExampleValues {
  /** A past alert, in place of the sample alert. */
  facts?: AlertFacts | undefined;
  context?: GivenContext | undefined;
  /** Value of `is_test` unless the context has one. Default: false. */
  isTest?: boolean;
}

interface TemplateCheck {
  /** Reasons to refuse the template. */
  problems: string[];
  warnings: string[];
  /** The check was cut by its time limit: the template is slow, or this machine is busy. */
  timedOut: boolean;
}

/** A rendered body, also one that is not JSON, and the error as `code: sentence`. */
type Rendering = Pick<Preview, 'rendered' | 'error'>;

/**
 * Checks and renders templates on the thread that serves all requests. Each call charges its time to the workspace.
 * @throws AppError `too_many_requests` when the workspace has used up its time
 */
export interface Templates {
  /** Checks a body before it is saved. */
  check(workspaceId: string, body: string): TemplateCheck;
  /** Renders a template. The seed of `random` is the alert's id. */
  render(workspaceId: string, body: string, values?: ExampleValues): Rendering;
  /** Renders an unsaved template, with the warnings that saving it would give. */
  preview(workspaceId: string, body: string, context?: GivenContext): Preview;
}

/** Most templates take 2 ms to check: a workspace can check 500 templates at once, and then 50 a second. */
const timeBudget = { share: 0.1, burstMs: 1_000 };

export function createTemplates(): Templates {
  const compile = createBodyCompiler();
  const check = rememberLast(createBodyChecker());
  const budget = createTimeBudget(timeBudget);
  const charged = <T>(workspaceId: string, work: () => T): T => {
    const detail = 'The templates of this workspace took too much time to render. Try again later.';
    requireWithinLimit(budget.check(workspaceId), detail);
    return budget.run(workspaceId, work);
  };

  const render = (body: string, values: ExampleValues = {}): Rendering => {
    const { facts, context = {}, isTest = false } = values;
    const compiled = compile(body);
    const variables = sampleContext(context, { ...(facts ?? sampleFacts), is_test: isTest });
    const seed = String(variables.get('alert_id'));
    const result = compiled.ok ? compiled.template.render(variables, seed) : compiled;
    if (!result.ok) return { rendered: null, error: `${codeOf(result.error)}: ${locate(result.error)}` };
    const fault = findJsonFault(result.output);
    if (fault === undefined) return { rendered: result.output, error: null };
    // The checker knows the position in the template for an error with the sample values alone.
    const isSample = facts === undefined && Object.keys(context).length === 0;
    const checked = isSample ? check(body) : undefined;
    const message =
      checked?.ok === false && !checked.overran
        ? checked.errors.map(locate).join(' ')
        : `the result is not JSON: ${locate(fault)}`;
    return { rendered: result.output, error: `invalid_json: ${message}` };
  };

  return {
    check: (workspaceId, body) => charged(workspaceId, () => describeCheck(check(body))),
    render: (workspaceId, body, values) => charged(workspaceId, () => render(body, values)),
    preview(workspaceId, body, context) {
      const tooLong = bodySizeProblem(body);
      if (tooLong !== undefined) throw invalidBody([{ path: '/body', message: tooLong }]);
      return charged(workspaceId, () => ({
        ...render(body, { context }),
        warnings: describeCheck(check(body)).warnings,
      }));
    },
  };
}

const maxBodyBytes = 65_536;

/** Returns an error message if a body, template or not, is too long to be saved. */
export function bodySizeProblem(body: string): string | undefined {
  return Buffer.byteLength(body) > maxBodyBytes ? `must be at most ${maxBodyBytes} bytes` : undefined;
}

/** A preview checks the same body twice. */
function rememberLast(check: (body: string) => BodyCheck): (body: string) => BodyCheck {
  let last: { body: string; checked: BodyCheck } | undefined;
  return (body) => {
    if (last?.body === body) return last.checked;
    const checked = check(body);
    // The next check of the same body can succeed, on a machine that is less busy.
    last = !checked.ok && checked.overran ? undefined : { body, checked };
    return checked;
  };
}

function describeCheck(checked: BodyCheck): TemplateCheck {
  return {
    problems: checked.ok ? [] : checked.errors.map(locate),
    warnings: checked.warnings.map((warning) => `body: ${locate(warning)}`),
    timedOut: !checked.ok && Boolean(checked.overran),
  };
}

/** The wall-clock limit depends on this machine; every other error is an error of the template. */
function codeOf({ kind }: TemplateError): 'internal_error' | 'template_error' {
  return kind === 'overrun' ? 'internal_error' : 'template_error';
}

function locate({ line, column, message }: { line: number; column: number; message: string }): string {
  return `line ${line}, column ${column}: ${message}`;
}
