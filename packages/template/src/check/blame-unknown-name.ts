import type { Explanation } from './explain-fault.js';
import { explainUnknown, type UnknownName } from './unknown-names.js';

/** A sample alert for which a body fails to render or is not JSON. */
export interface Failure extends Explanation {
  /** The consequence of the failure, for a message. */
  readonly effect: string;
  /** True if the rendering exceeded its wall-clock time. */
  readonly overran: boolean;
}

interface Question {
  readonly failure: Failure;
  readonly unknown: readonly UnknownName[];
  /** Renders the same sample with the given names defined. */
  render(defined: readonly UnknownName[]): { readonly failure?: Failure };
}

/**
 * Returns the failure with an unknown name as its reason, if one is. A name is the reason if the failure is gone when
 * the names are defined, and is there when only this name is not; else if the failure is gone when only this name is
 * defined. A name without a similar known name has no typical value, so a condition with it can stay false: it is also
 * the reason if it decides about the empty place of the failure.
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
  // A printed value with another fault explains itself, also if it stands in a part that an unknown name decides about.
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
