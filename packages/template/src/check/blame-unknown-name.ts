import type { Explanation } from './explain-fault.js';
import { explainUnknown, type UnknownName } from './unknown-names.js';

/** The failure of a body for one sample alert: it cannot be rendered, or the result is not JSON. */
export interface Failure extends Explanation {
  /** Consequence of the failure as part of a sentence, such as "the result is not JSON". */
  readonly effect: string;
  /** True if the rendering exceeded its wall-clock limit. */
  readonly overran: boolean;
}

interface Question {
  readonly failure: Failure;
  readonly unknown: readonly UnknownName[];
  /** Repeats the rendering that failed, with values for the names in `defined`. */
  render(defined: readonly UnknownName[]): { readonly failure?: Failure | undefined };
}

/**
 * Finds the unknown name that causes the failure, and returns the failure with a message about this name. Returns the
 * failure unchanged if no unknown name causes it, or if the rendering exceeded its time limit. To find the cause, the
 * template is rendered again with values for the unknown names:
 * - If the failure disappears or changes when all unknown names have values, the cause is the first name without whose
 *   value the failure stays. If there is no such name, the cause is the first name whose value alone removes or changes
 *   the failure. If there is no such name either, the cause is the first unknown name.
 * - If the failure stays although all unknown names have values, the cause is the first unknown name that a condition
 *   or loop near the failure uses, if there is one: with another value, the condition could have another result.
 */
export function blameUnknownName({ failure, unknown, render }: Question): Failure {
  if (failure.overran || unknown.length === 0) return failure;
  const changes = (defined: readonly UnknownName[]) => isOther(render(defined).failure, failure);
  const without = (name: UnknownName) => unknown.filter((other) => other !== name);
  const reason = changes(unknown)
    ? (unknown.find((name) => !changes(without(name))) ??
      unknown.find((name) => changes([name])) ??
      unknown[0]!)
    : unknown.find(({ uses }) => uses.some((use) => use.decides && isNear(use, failure)));
  if (reason === undefined) return failure;
  const use = reason.uses.find((candidate) => isNear(candidate, failure));
  // A printed value causes the failure, and the unknown name is not used near that value. The message about the
  // printed value is therefore kept.
  if (failure.isPrinted && use === undefined) return failure;
  const { offset } =
    use ?? reason.uses.findLast((earlier) => earlier.offset < failure.offset) ?? reason.uses[0]!;
  return { ...failure, offset, message: explainUnknown(reason, `, so ${failure.effect}`) };
}

function isOther(failure: Failure | undefined, natural: Failure): boolean {
  if (failure?.overran) return false;
  return failure?.offset !== natural.offset || failure.message !== natural.message;
}

function isNear({ offset }: { readonly offset: number }, { from, to }: Failure): boolean {
  return from <= offset && offset <= to;
}
