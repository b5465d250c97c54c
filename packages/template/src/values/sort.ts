import type { Rendering } from '../rendering.js';
import { compare } from './compare.js';
import type { Value } from './value.js';

/** Python's `sorted`: stable, and based on `<` alone. */
export function sorted(
  rendering: Rendering,
  values: readonly Value[],
  options: { key: (item: Value) => Value; reverse: boolean },
): Value[] {
  const { budget } = rendering;
  budget.list(values.length);
  const keyed = values.map((value) => ({ value, key: options.key(value) }));
  const less = (left: Value, right: Value) => {
    budget.step();
    return compare(left, '<', right, rendering);
  };
  const sign = options.reverse ? -1 : 1;
  keyed.sort((left, right) => {
    if (less(left.key, right.key)) return -sign;
    return less(right.key, left.key) ? sign : 0;
  });
  return keyed.map(({ value }) => value);
}
