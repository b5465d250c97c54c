import { readFileSync } from 'node:fs';
import { packagePath } from '../package-path.js';
import type { CaseResult } from './case-runner.js';

export interface ExpectedCase {
  readonly id: string;
  /**
   * Tier 1: common in webhook bodies. Tier 2: the rest of the documented language. Tier 3: peculiar to one version of
   * Jinja2.
   */
  readonly tier: 1 | 2 | 3;
  readonly template: string;
  /** The output of Jinja2; absent where Jinja2 fails. */
  readonly expected?: string;
  /** The phase in which Jinja2 fails. */
  readonly phase?: 'compile' | 'render';
  /** The case as JSON text, unparsed, because a parsed `-0.0` would lose its sign. */
  readonly line: string;
}

/** The shared cases with the results of Jinja2. Contexts are stored once for all cases that use them. */
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

/** Tells whether two results agree: equal output, or a failure in the same phase. Messages are not compared. */
export function agreesWithJinja2(expected: ExpectedCase, result: CaseResult): boolean {
  if (expected.phase !== undefined) return 'error' in result && result.phase === expected.phase;
  return 'output' in result && result.output === expected.expected;
}
