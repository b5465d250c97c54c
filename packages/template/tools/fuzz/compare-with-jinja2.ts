import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { type CaseResult, createCaseRunner } from '../cases/case-runner.js';
import { packagePath } from '../package-path.js';
import { anyTemplate } from './any-template.js';
import { sampleTypes, sampleValues } from './sample-values.js';

const oracleScript = packagePath('tools/fuzz/oracle.py');
const pythonCommands = ['/usr/bin/python3', 'python3'];

export type OracleResult = { output: string } | { error: string; phase: 'compile' | 'render' };

export interface Difference {
  readonly template: string;
  readonly theirs: OracleResult;
  readonly ours: CaseResult;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
}

/** Returns the first Python command that can import Jinja2, or undefined if this machine has none. */
export function findPython(): string | undefined {
  return pythonCommands.find((command) => spawnSync(command, ['-c', 'import jinja2']).status === 0);
}

/**
 * Renders `count` generated templates with this package and with Jinja2, and returns those whose results differ. An
 * equal `seed` gives the same templates.
 */
export function compareWithJinja2(python: string, { seed, count }: FuzzOptions): Difference[] {
  const templates = generateTemplates({ seed, count });
  const compare = createComparison(python);
  return compare(templates).filter((comparison) => !agrees(comparison));
}

export function generateTemplates({ seed, count }: FuzzOptions): string[] {
  return fc.sample(anyTemplate(), { seed, numRuns: count });
}

/** Time limit for shrinking. Each new candidate starts Python once, which takes about 30 ms. */
const shrinkTimeLimitMs = 20_000;

/** Returns the smallest template that fast-check finds by shrinking the first difference of this seed. */
export function shrinkFirstDifference(python: string, { seed, count }: FuzzOptions): Difference | undefined {
  const compare = createComparison(python);
  let smallest: Difference | undefined;
  compare(generateTemplates({ seed, count }));
  const property = fc.property(anyTemplate(), (template) => {
    const [comparison] = compare([template]);
    if (comparison === undefined || agrees(comparison)) return true;
    smallest = comparison;
    return false;
  });
  fc.check(property, { seed, numRuns: count, interruptAfterTimeLimit: shrinkTimeLimitMs });
  return smallest;
}

/**
 * Creates a function that compares templates. Each call starts Python at most once. Results of earlier calls are
 * cached.
 */
function createComparison(python: string): (templates: readonly string[]) => Difference[] {
  const run = createCaseRunner();
  const known = new Map<string, OracleResult>();
  return (templates) => {
    const unknown = [...new Set(templates)].filter((template) => !known.has(template));
    const results = askJinja2(python, unknown);
    for (const [index, template] of unknown.entries()) known.set(template, results[index]!);
    return templates.map((template) => ({
      template,
      theirs: known.get(template)!,
      ours: run(caseLine(template)),
    }));
  };
}

function caseLine(template: string): string {
  return JSON.stringify({ id: 'generated', template, context: sampleValues, types: sampleTypes });
}

/** Renders templates with Jinja2, all of them in one Python process. */
export function askJinja2(python: string, templates: readonly string[]): OracleResult[] {
  if (templates.length === 0) return [];
  const input = templates.map(caseLine).join('\n');
  const result = spawnSync(python, [oracleScript], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (result.status !== 0) throw new Error(`Jinja2 could not be run: ${result.stderr}`);
  return result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OracleResult);
}

/**
 * Returns true if two results agree. Two errors agree if they have the same phase, whatever their messages are. An
 * output of Jinja2 that contains a memory address agrees with every output, because addresses differ in each run.
 */
export function agrees({ ours, theirs }: Difference): boolean {
  if ('error' in theirs) return 'error' in ours && ours.phase === theirs.phase;
  if (/ at 0x[0-9a-f]+/i.test(theirs.output)) return 'output' in ours;
  return 'output' in ours && ours.output === theirs.output;
}
