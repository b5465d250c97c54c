import { readFileSync } from 'node:fs';
import type { Json } from '../../src/index.js';

export interface ExpectedCase {
  readonly id: string;
  readonly tier: 1 | 2 | 3;
  readonly template: string;
  readonly context: Readonly<Record<string, Json>>;
  readonly types: Readonly<Record<string, string>>;
  /** What Jinja2 prints, or in which phase it fails. */
  readonly expected?: string;
  readonly phase?: 'compile' | 'render';
}

interface SharedContext {
  readonly context: ExpectedCase['context'];
  readonly types?: ExpectedCase['types'];
}

/** The cases with Jinja2's answers; contexts are stored once for the cases that share them. */
export function readCases(): ExpectedCase[] {
  const contexts = readLines<SharedContext>('contexts.jsonl');
  return readLines<Omit<ExpectedCase, 'context' | 'types'> & { context: number }>('cases.jsonl').map(
    (line) => {
      const { context, types = {} } = contexts[line.context]!;
      return { ...line, context, types };
    },
  );
}

function readLines<Line>(name: string): Line[] {
  const text = readFileSync(new URL(`../cases/${name}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
