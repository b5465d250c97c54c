import type { Comparison } from './compare.js';
import type { Exposure } from './trial.js';

type Compared = Pick<Comparison, 'lost' | 'repeated' | 'repeats' | 'disagreements'>;

/** A sentence for each promise that is broken, given what the fault had put at risk. */
export function judge(compared: Compared, { slots, bound }: Pick<Exposure, 'slots' | 'bound'>): string[] {
  const { lost, repeated, repeats, disagreements } = compared;
  const known = slots && [...repeats].map(([slot, times]) => ({ times, atRisk: slots.get(slot) ?? 0 }));
  const outside = (known ?? []).filter(({ atRisk }) => atRisk === 0);
  const tooOften = (known ?? []).filter(({ times, atRisk }) => atRisk > 0 && times > atRisk);
  return [
    ...(lost === 0 ? [] : [`${lost} lost`]),
    ...(repeated <= bound ? [] : [`${repeated} repeated, ${bound} were in flight`]),
    ...(outside.length === 0 ? [] : [`${outside.length} repeated that were not in flight`]),
    ...(tooOften.length === 0 ? [] : [`${tooOften.length} repeated more often than they were in flight`]),
    ...(disagreements.length === 0 ? [] : [`records disagree, first: ${disagreements[0]}`]),
  ];
}
