import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type CaseAnswer, createCaseRunner } from '../case-runner.js';
import { fuzzContext, fuzzTypes } from './context.js';
import { createRandom } from './random.js';
import { generateTemplate } from './templates.js';

/** From `src/` as from `dist/`: the script is not compiled. */
const oracle = fileURLToPath(new URL('../../../src/tools/fuzz/oracle.py', import.meta.url));
const pythons = ['/usr/bin/python3', 'python3'];

type OracleAnswer = { output: string } | { error: string; phase: 'compile' | 'render' };

interface FuzzCase {
  readonly id: string;
  readonly template: string;
  readonly context: typeof fuzzContext;
  readonly types: typeof fuzzTypes;
}

interface Difference {
  readonly template: string;
  readonly theirs: OracleAnswer;
  readonly ours: CaseAnswer;
}

/** A Python of this machine that has Jinja2. */
export function findPython(): string | undefined {
  return pythons.find((command) => spawnSync(command, ['-c', 'import jinja2']).status === 0);
}

/** Renders generated templates here and with Jinja2. */
export function compareWithJinja2(
  python: string,
  { seed, count }: { seed: number; count: number },
): { compared: number; differences: Difference[] } {
  const cases = generateCases(seed, count);
  const answers = askOracle(python, cases);
  const run = createCaseRunner();
  const differences = cases.flatMap((templateCase, index): Difference[] => {
    const ours = run(JSON.stringify(templateCase));
    const theirs = answers[index]!;
    return agrees(ours, theirs) ? [] : [{ template: templateCase.template, theirs, ours }];
  });
  return { compared: cases.length, differences };
}

function generateCases(seed: number, count: number): FuzzCase[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `fuzz-${seed}-${index}`,
    template: generateTemplate(random),
    context: fuzzContext,
    types: fuzzTypes,
  }));
}

function askOracle(python: string, cases: readonly FuzzCase[]): OracleAnswer[] {
  const input = cases.map((templateCase) => JSON.stringify(templateCase)).join('\n');
  const result = spawnSync(python, [oracle], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (result.status !== 0) throw new Error(`the oracle failed: ${result.stderr}`);
  return result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OracleAnswer);
}

/** Messages may differ; that it fails, and in which phase, may not. Addresses of objects never agree. */
function agrees(ours: CaseAnswer, theirs: OracleAnswer): boolean {
  if ('error' in theirs) return 'error' in ours && ours.phase === theirs.phase;
  if (/ at 0x[0-9a-f]+/i.test(theirs.output)) return 'output' in ours;
  return 'output' in ours && ours.output === theirs.output;
}
