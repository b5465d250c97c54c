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

/** Repeats generated templates until the budget ends them. Returns those with the most CPU, as milliseconds and text. */
export function searchCosts({ seed, count }: SearchOptions): [milliseconds: number, template: string][] {
  const compile = createTemplateCompiler({ ...bodyOptions, limits: { wallClockMs: 600_000 } });
  const isFloat = (pointer: string) => sampleTypes[pointer] === 'float';
  const variables = new Map(
    Object.entries(sampleValues).map(([name, json]) => [name, fromJson(json, isFloat, `/${name}`)]),
  );
  const repeated = fc.oneof(
    anyTemplate(),
    typedExpression(3).map((expression) => `{% set _ = ${expression} %}`),
  );
  return fc
    .sample(repeated, { seed, numRuns: count })
    .flatMap((template): [number, string][] => {
      const compiled = compile(`{% for q in range(90000) %}${template}{% endfor %}`);
      if (!compiled.ok) return [];
      return [[leastCpuMs(() => void compiled.template.render(variables)), template]];
    })
    .sort(([left], [right]) => right - left);
}

/** The first runs include compilation by the engine, so the least of five is taken. */
function leastCpuMs(run: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = cpuUsage();
    run();
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...runs);
}
