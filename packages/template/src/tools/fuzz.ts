import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type CaseAnswer, createCaseRunner, type TemplateCase } from './case-runner.js';
import { FUZZ_CONTEXT, FUZZ_TYPES } from './fuzz/context.js';
import { createRandom } from './fuzz/random.js';
import { generateTemplate } from './fuzz/templates.js';

const ORACLE = fileURLToPath(new URL('../../src/tools/fuzz/oracle.py', import.meta.url));
const PYTHONS = ['/usr/bin/python3', 'python3'];

type OracleAnswer = { output: string } | { error: string; phase: 'compile' | 'render' };

/** Compares generated templates with the Jinja2 of this machine, and prints those that differ as cases. */
function main(seed: number, count: number): void {
  const python = PYTHONS.find((command) => spawnSync(command, ['-c', 'import jinja2']).status === 0);
  if (python === undefined) {
    process.stderr.write('no python3 with jinja2 here (on Debian: apt-get install python3-jinja2)\n');
    process.exitCode = 2;
    return;
  }
  const cases = generateCases(seed, count);
  const expected = askOracle(python, cases);
  const run = createCaseRunner();
  let agreed = 0;
  for (const [index, templateCase] of cases.entries()) {
    const ours = run(templateCase);
    const theirs = expected[index]!;
    if (agrees(ours, theirs)) agreed++;
    else process.stdout.write(`${JSON.stringify({ template: templateCase.template, theirs, ours })}\n`);
  }
  const percent = ((100 * agreed) / cases.length).toFixed(2);
  process.stderr.write(`${agreed} of ${cases.length} agree (${percent} %), seed ${seed}\n`);
  if (agreed < cases.length) process.exitCode = 1;
}

function generateCases(seed: number, count: number): TemplateCase[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `fuzz-${seed}-${index}`,
    template: generateTemplate(random),
    context: FUZZ_CONTEXT,
    types: FUZZ_TYPES,
  }));
}

function askOracle(python: string, cases: readonly TemplateCase[]): OracleAnswer[] {
  const input = cases.map((templateCase) => JSON.stringify(templateCase)).join('\n');
  const result = spawnSync(python, [ORACLE], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
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

const [seed = '1', count = '1000'] = process.argv.slice(2);
main(Number(seed), Number(count));
