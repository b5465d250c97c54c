import { cpuUsage } from 'node:process';
import { createTemplateCompiler, fromJson } from '@tocsin/template';
import { bodyOptions } from '@tocsin/template/browser';
import fc from 'fast-check';
import { anyTemplate } from '../fuzz/any-template.js';
import { sampleTypes, sampleValues } from '../fuzz/sample-values.js';
import { typedExpression } from '../fuzz/typed-expression.js';

interface SearchOptions {
  readonly seed: number;
  readonly count: number;
}

interface Candidate {
  readonly template: string;
  readonly render: () => void;
  /** CPU time of one rendering, the smallest of several. */
  readonly milliseconds: number;
}

/**
 * Generates `count` templates. Each is repeated in a `for` loop until the budget or an error of the template ends the
 * rendering. Returns the 30 templates with the largest CPU time, slowest first.
 */
export function searchCosts({ seed, count }: SearchOptions): Candidate[] {
  const compile = createTemplateCompiler({ ...bodyOptions, limits: { wallClockMs: 600_000 } });
  const isFloat = (pointer: string) => sampleTypes[pointer] === 'float';
  const variables = new Map(
    Object.entries(sampleValues).map(([name, json]) => [name, fromJson(json, isFloat, `/${name}`)]),
  );
  const repeated = fc.oneof(
    anyTemplate(),
    typedExpression(3).map((expression) => `{% set _ = ${expression} %}`),
  );
  const measured = fc.sample(repeated, { seed, numRuns: count }).flatMap((template): Candidate[] => {
    const compiled = compile(`{% for q in range(90000) %}${template}{% endfor %}`);
    if (!compiled.ok) return [];
    const render = () => void compiled.template.render(variables);
    return [{ template, render, milliseconds: leastCpuMs(render, 3) }];
  });
  return measured
    .sort(slowestFirst)
    .slice(0, 30)
    .map((candidate) => ({ ...candidate, milliseconds: leastCpuMs(candidate.render, 30) }))
    .sort(slowestFirst);
}

function slowestFirst(left: Candidate, right: Candidate): number {
  return right.milliseconds - left.milliseconds;
}

/** Returns the smallest CPU time of `runs` calls, in milliseconds. V8 needs about 20 calls to compile all code. */
function leastCpuMs(run: () => void, runs: number): number {
  const measured = Array.from({ length: runs }, () => {
    const before = cpuUsage();
    run();
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...measured);
}
