import { createBodyChecker } from '../../src/check/check-body.js';

/** The clock always returns 0, so that the time limit never ends a check. */
export const checkBody = createBodyChecker({ now: () => 0 });

export function errorOf(source: string): string {
  const check = checkBody(source);
  if (check.ok) throw new Error('the body was accepted');
  const [error] = check.errors;
  return `${error?.line}:${error?.column} ${error?.message}`;
}

export function warningsOf(source: string): string[] {
  const check = checkBody(source);
  if (!check.ok) throw new Error(check.errors[0]?.message);
  return check.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);
}
