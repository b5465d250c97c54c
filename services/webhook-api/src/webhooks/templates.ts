import type { Preview } from '@tocsin/contracts';
import { createTimeBudget, invalidBody, requireWithinLimit } from '@tocsin/kit';
import {
  type AlertOrNoticeFacts,
  type BodyCheck,
  createBodyChecker,
  createBodyCompiler,
  findJsonFault,
  sampleContext,
  sampleFacts,
  type TemplateError,
} from '@tocsin/template';

/** Values of template variables that replace or extend the sample values. */
type GivenContext = Readonly<Record<string, unknown>>;

interface ExampleValues {
  /** A past alert that replaces the sample alert. */
  facts?: AlertOrNoticeFacts | undefined;
  context?: GivenContext | undefined;
  /** Value of `is_test` if the context does not contain it. Default: false. */
  isTest?: boolean;
}

interface TemplateCheck {
  /** Reasons why the template is rejected; empty for a valid template. */
  problems: string[];
  warnings: string[];
  /** True if the check reached its time limit, because the template is slow or this machine is busy. */
  timedOut: boolean;
}

/** The rendered body, which is null if the rendering failed, and any error as `code: sentence`. */
type Rendering = Pick<Preview, 'rendered' | 'error'>;

/**
 * Checks and renders templates on the thread that serves all requests. Each workspace has a budget for the time of the
 * calls.
 * @throws AppError `too_many_requests` if the workspace has used up its time budget
 */
export interface Templates {
  /** Checks a body before it is saved. */
  check(workspaceId: string, body: string): TemplateCheck;
  /** Renders a template. The alert's id is the seed of `random`. */
  render(workspaceId: string, body: string, values?: ExampleValues): Rendering;
  /**
   * Renders a template that is not saved, and returns the warnings about it.
   * @throws AppError `validation_failed` if the template is too long
   */
  preview(workspaceId: string, body: string, context?: GivenContext): Preview;
}

/**
 * Time budget for the templates of one workspace. A check usually takes 2 ms, so a workspace can check 500 templates at
 * once and 50 a second after that.
 */
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
    // If the rendering used only sample values, `check` usually finds the same error. The error of `check` is then
    // shown, because it contains the position in the template.
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
      return charged(workspaceId, () => {
        const { rendered, error } = render(body, { context });
        const { problems, warnings, timedOut } = describeCheck(check(body));
        // `check` renders several sample alerts, so it can reject a body whose preview has no error. It ignores the
        // values in the request, so its errors are not shown if the request contains values.
        const isSample = Object.keys(context ?? {}).length === 0;
        const isRejected = isSample && problems.length > 0 && !timedOut;
        const rejection = isRejected
          ? `template_error: the body cannot be saved: ${problems.join(' ')}`
          : null;
        return { rendered, error: error ?? rejection, warnings };
      });
    },
  };
}

const maxBodyBytes = 65_536;

/** Returns an error message if a body, with or without template syntax, is too long to be saved. */
export function bodySizeProblem(body: string): string | undefined {
  return Buffer.byteLength(body) > maxBodyBytes ? `must be at most ${maxBodyBytes} bytes` : undefined;
}

/**
 * Returns a function that works like `check` and caches the last result. If the rendered body is not JSON, a preview
 * with sample values checks the same template twice. The second check then takes its result from the cache.
 */
function rememberLast(check: (body: string) => BodyCheck): (body: string) => BodyCheck {
  let last: { body: string; checked: BodyCheck } | undefined;
  return (body) => {
    if (last?.body === body) return last.checked;
    const checked = check(body);
    // A check that exceeded its time limit is not cached, because it can succeed on a less busy machine.
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

/** Returns the code of an error. Slow rendering can be the fault of a busy machine, so it is not a `template_error`. */
function codeOf({ kind }: TemplateError): 'internal_error' | 'template_error' {
  return kind === 'overrun' ? 'internal_error' : 'template_error';
}

function locate({ line, column, message }: { line: number; column: number; message: string }): string {
  return `line ${line}, column ${column}: ${message}`;
}
