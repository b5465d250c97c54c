import { cpuUsage } from 'node:process';
import { alertContext, createTemplateCompiler, sampleFacts } from '@tocsin/template';
import { bodyOptions } from '@tocsin/template/browser';
import type { SizedTemplate } from './sized-template.js';

export interface Cost {
  /** Size of the largest template within the budget. The relative error of the size is at most `precision`. */
  readonly size: number;
  readonly steps: number;
  /** CPU time of one rendering including garbage collection, in milliseconds. */
  readonly acceptedMs: number;
  /**
   * CPU time in milliseconds of one rendering at a size that the budget normally does not allow: ten times `size`, but
   * at most 100,000.
   */
  readonly refusedMs: number;
  /** Message of the error at this larger size. Empty if the budget allows the size. */
  readonly refusal: string;
}

interface MeterOptions {
  /** Largest relative error of `Cost.size`, such as 0.1. */
  readonly precision: number;
  /** Minimum CPU time in milliseconds of one batch of renderings. Each measurement consists of five batches. */
  readonly batchMs: number;
}

/** Maximum size, because `range` accepts at most this number of items. */
const maxSize = 100_000;

/**
 * Creates a function that measures a template: its largest size within the budget, and the CPU time at this size and at
 * a larger one.
 */
export function createCostMeter({ precision, batchMs }: MeterOptions): (template: SizedTemplate) => Cost {
  // With a wall-clock limit of ten minutes, only the deterministic limits end a rendering.
  const compile = createTemplateCompiler({ ...bodyOptions, limits: { wallClockMs: 600_000 } });
  const context = alertContext(sampleFacts);
  const compiled = (source: string) => {
    const result = compile(source);
    if (!result.ok) throw new Error(result.error.message);
    return result.template;
  };
  const cpuMs = (source: string) => {
    const template = compiled(source);
    return meanCpuMs(batchMs, () => void template.render(context));
  };
  return (template) => {
    const isAccepted = (size: number) => compiled(template(size)).measure(context).result.ok;
    const size = largest(precision, isAccepted);
    const larger = Math.min(size * 10, maxSize);
    const refused = compiled(template(larger)).measure(context).result;
    return {
      size,
      steps: compiled(template(size)).measure(context).steps,
      acceptedMs: cpuMs(template(size)),
      refusedMs: cpuMs(template(larger)),
      refusal: refused.ok ? '' : refused.error.message,
    };
  };
}

/**
 * Returns the largest size up to `maxSize` for which `holds` is true, by binary search. If `holds` is false for a size,
 * it must be false for all larger sizes. The relative error of the result is at most `precision`.
 */
function largest(precision: number, holds: (size: number) => boolean): number {
  let [holding, failing] = [1, 2];
  while (failing <= maxSize && holds(failing)) [holding, failing] = [failing, failing * 2];
  failing = Math.min(failing, maxSize + 1);
  while (failing - holding > Math.max(1, holding * precision)) {
    const middle = Math.floor((holding + failing) / 2);
    if (holds(middle)) holding = middle;
    else failing = middle;
  }
  return holding;
}

/**
 * Returns the CPU time of one call in milliseconds: the smallest of five means, each over at least `batchMs`. The
 * minimum is used because compilation and other work of the process can only add time.
 */
function meanCpuMs(batchMs: number, run: () => void): number {
  const batch = () => {
    const before = cpuUsage();
    let calls = 0;
    let spentMs = 0;
    while (spentMs < batchMs || calls === 0) {
      run();
      calls++;
      const { user, system } = cpuUsage(before);
      spentMs = (user + system) / 1_000;
    }
    return spentMs / calls;
  };
  return Math.min(batch(), batch(), batch(), batch(), batch());
}
