import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createCaseRunner } from '../cases/case-runner.js';
import { packagePath } from '../package-path.js';
import {
  agrees,
  askJinja2,
  type Difference,
  type FuzzOptions,
  generateTemplates,
  type OracleResult,
} from './compare-with-jinja2.js';
import { sampleTypes, sampleValues } from './sample-values.js';

export const recordedResultsFile = packagePath('test/cases/generated.jsonl');

/** First line of the file: the version of Jinja2, the options, and the variables of all templates. */
interface Header extends FuzzOptions {
  readonly jinja2: string;
  readonly context: object;
  readonly types: object;
}

/** A template, and Jinja2's output or the phase in which Jinja2 fails. */
type Line =
  | readonly [template: string, output: string]
  | readonly [template: string, output: null, phase: Phase];
type Phase = Extract<OracleResult, { phase: unknown }>['phase'];

/** Maximum length of recorded templates and outputs. This keeps the file small. */
const maxTemplate = 500;
const maxOutput = 500;

/** Renders generated templates with Jinja2, and returns the content of the file that stores the results. */
export function recordResults(python: string, { seed, count }: FuzzOptions): string {
  const templates = [...new Set(generateTemplates({ seed, count }))].filter(
    ({ length }) => length <= maxTemplate,
  );
  const lines = askJinja2(python, templates).flatMap((result, index): Line[] => {
    const template = templates[index]!;
    if ('error' in result) return [[template, null, result.phase]];
    return isRecordable(result.output) ? [[template, result.output]] : [];
  });
  const header: Header = {
    seed,
    count,
    jinja2: versionOfJinja2(python),
    context: sampleValues,
    types: sampleTypes,
  };
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/**
 * Returns true if the output is recorded. A long output is not recorded, so that the file stays small. An output with a
 * memory address is not recorded, because addresses differ in each run.
 */
function isRecordable(output: string): boolean {
  return output.length <= maxOutput && !/ at 0x[0-9a-f]+/i.test(output);
}

function versionOfJinja2(python: string): string {
  return spawnSync(python, ['-c', 'import jinja2; print(jinja2.__version__)'], {
    encoding: 'utf8',
  }).stdout.trim();
}

/**
 * Renders the recorded templates. Returns their number and the templates whose result differs from the recorded one.
 */
export function compareWithRecorded(): { count: number; differences: Difference[] } {
  const [head = '', ...lines] = readFileSync(recordedResultsFile, 'utf8').trimEnd().split('\n');
  const { context, types } = JSON.parse(head) as Header;
  const run = createCaseRunner();
  const comparisons = lines.map((text): Difference => {
    const [template, output, phase] = JSON.parse(text) as Line;
    const ours = run(JSON.stringify({ id: 'recorded', template, context, types }));
    return { template, ours, theirs: output === null ? { error: '', phase: phase! } : { output } };
  });
  return {
    count: comparisons.length,
    differences: comparisons.filter((comparison) => !agrees(comparison)),
  };
}
