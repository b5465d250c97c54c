import {
  type AlertFacts,
  alertContext,
  bodyOptions,
  createBodyChecker,
  createTemplateCompiler,
  findJsonFault,
  sampleAlerts,
} from '@tocsin/template/browser';

/** A message about the template. Line and column start at 1. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Result of rendering and checking a template with one alert. */
export interface Inspection {
  /** Problems of the template, errors first. A template without errors can be saved. */
  readonly problems: readonly Problem[];
  /** The rendered body. Null if the template cannot be rendered. */
  readonly output: string | null;
  /** First position at which `output` is not valid JSON. Undefined if `output` is valid JSON or null. */
  readonly fault: Pick<Problem, 'line' | 'column' | 'message'> | undefined;
}

const compile = createTemplateCompiler(bodyOptions);

/** Maximum size that the API accepts for a template, in bytes. */
const maxBodyBytes = 65_536;

/**
 * Returns a function that renders a template with the given alert, and checks the template with the same code as the
 * API. The template is checked with the given alert and with the sample alerts of the API. The check therefore also
 * finds errors that only the values of the given alert cause.
 */
export function createInspector(facts: AlertFacts): (source: string) => Inspection {
  const check = createBodyChecker({ samples: [facts, ...sampleAlerts] });
  const context = alertContext(facts);
  return (source) => {
    const size = new TextEncoder().encode(source).length;
    if (size > maxBodyBytes) return { problems: [tooLong(size)], output: null, fault: undefined };
    const checked = check(source);
    const errors = (checked.ok ? [] : checked.errors).map((error) => toProblem('error', error));
    const warnings = checked.warnings.map((warning) => toProblem('warning', warning));
    const problems = [...errors, ...warnings.filter((warning) => !errors.some(isAt(warning)))];
    const output = render(source);
    return { problems, output, fault: output === null ? undefined : findJsonFault(output) };
  };

  function render(source: string): string | null {
    const compiled = compile(source);
    if (!compiled.ok) return null;
    const rendered = compiled.template.render(context, facts.alert_id);
    return rendered.ok ? rendered.output : null;
  }
}

function toProblem(
  severity: Problem['severity'],
  { line, column, message }: Omit<Problem, 'severity'>,
): Problem {
  return { severity, line, column, message: capitalised(message) };
}

/**
 * Returns a function that tells if another problem has the same position. A warning at the position of an error is
 * hidden.
 */
function isAt({ line, column }: Problem): (other: Problem) => boolean {
  return (other) => other.line === line && other.column === column;
}

function capitalised(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

function tooLong(bytes: number): Problem {
  const message = `The template has ${bytes} bytes; at most ${maxBodyBytes} are allowed.`;
  return { severity: 'error', line: 1, column: 1, message };
}
