import { readFileSync } from 'node:fs';

export interface ExpectedCase {
  readonly id: string;
  readonly tier: 1 | 2 | 3;
  readonly template: string;
  /** What Jinja2 prints, or in which phase it fails. */
  readonly expected?: string;
  readonly phase?: 'compile' | 'render';
  /** The case as a line of a case file, its context as it was written: a parsed one would have lost `-0.0`. */
  readonly line: string;
}

/** The cases with Jinja2's answers; contexts are stored once for the cases that share them. */
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
  return readFileSync(new URL(`../cases/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}
