import {
  type AlertFacts,
  alertContext,
  bodyOptions,
  createBodyChecker,
  createTemplateCompiler,
  findJsonFault,
  sampleAlerts,
} from '@tocsin/template/browser';

/** A message about the template, at a line and column that are counted from 1. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The rendering of a template with one alert, and everything that is to be said about the template. */
export interface Inspection {
  /** Errors first. A template without errors can be saved. */
  readonly problems: readonly Problem[];
  /** The body that would be sent; null if the template does not render. */
  readonly output: string | null;
  /** The first place where the output is not JSON. */
  readonly fault: Pick<Problem, 'line' | 'column' | 'message'> | undefined;
}

const compile = createTemplateCompiler(bodyOptions);

/** Limit of the API for a body. */
const maxBodyBytes = 65_536;

/**
 * Returns a function that renders a template with an alert and checks it as the API does when it is saved: with this
 * alert first, so that errors that only its values cause are found, and then with the sample alerts of the API.
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

/** An error says what a warning at its place says, and more. */
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
