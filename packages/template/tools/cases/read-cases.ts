import { readFileSync } from 'node:fs';
import { packagePath } from '../package-path.js';
import type { CaseResult } from './case-runner.js';

export interface ExpectedCase {
  readonly id: string;
  /**
   * How common the case is. Tier 1 is common in webhook bodies, tier 2 is the rest of the documented language, and tier
   * 3 is behaviour of one version of Jinja2.
   */
  readonly tier: 1 | 2 | 3;
  readonly template: string;
  /** Output of Jinja2. Undefined if Jinja2 fails. */
  readonly expected?: string;
  /** Phase in which Jinja2 fails. Undefined if it does not fail. */
  readonly phase?: 'compile' | 'render';
  /** The case as JSON text, because JSON.parse and JSON.stringify would turn `-0.0` into `0`. */
  readonly line: string;
}

/** Reads the shared cases with the results of Jinja2. A context that several cases use is stored once. */
export function readCases(): ExpectedCase[] {
  const contexts = readLines('contexts.jsonl');
  return readLines('cases.jsonl').map((text) => {
    const { context, ...stored } = JSON.parse(text) as Omit<ExpectedCase, 'line'> & { context: number };
    const { id, template } = stored;
    const head = JSON.stringify({ id, template }).slice(0, -1);
    return { ...stored, line: `${head},${contexts[context]!.slice(1)}` };
  });
}

function readLines(name: string): string[] {
  return readFileSync(packagePath(`test/cases/${name}`), 'utf8')
    .trimEnd()
    .split('\n');
}

/** Returns true for equal output, or for failures in the same phase. Error messages are not compared. */
export function agreesWithJinja2(expected: ExpectedCase, result: CaseResult): boolean {
  if (expected.phase !== undefined) return 'error' in result && result.phase === expected.phase;
  return 'output' in result && result.output === expected.expected;
}
