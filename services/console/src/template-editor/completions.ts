import { sampleFacts, type TemplateNames, templateNames } from '@tocsin/template/browser';
import { completionPlace, ownNames } from './completion-context.js';
import { filterNotes, variableNotes } from './filter-notes.js';

/** A name that the editor suggests. The members are a subset of those of CodeMirror's `Completion`. */
interface NameCompletion {
  readonly label: string;
  readonly detail?: string;
  readonly type: 'variable' | 'function' | 'property' | 'keyword';
  /** Text to insert if it differs from the label. */
  readonly apply?: string;
  /** Completions with a higher value are listed first. */
  readonly boost?: number;
}

export interface NameCompletions {
  readonly from: number;
  readonly options: readonly NameCompletion[];
}

/** Members of the object `loop`, which exists only inside a `for` loop. */
const loopMembers = [
  'index',
  'index0',
  'first',
  'last',
  'length',
  'revindex',
  'previtem',
  'nextitem',
  'cycle',
];

/**
 * Returns the names that can be completed at an offset. Outside of `{{ }}` and `{% %}`, a template can contain any
 * text, so variables (in braces) are suggested there only if the user requests completion (`isExplicit`).
 */
export function completeNames(source: string, offset: number, isExplicit: boolean): NameCompletions | null {
  const place = completionPlace(source, offset);
  if (place === null) return null;
  const { from } = place;
  const options = optionsOf(place, source, isExplicit);
  return options.length === 0 ? null : { from, options };
}

const names: TemplateNames = templateNames();
const variables = names.variables.map((label) => noted(label, 'variable', { boost: 2 }));
const filters = names.filters.map((label) => noted(label, 'function', {}));
const tests = names.tests.map((label): NameCompletion => ({ label, type: 'keyword' }));
const tags = names.tags.flatMap((label): NameCompletion[] => [
  { label, type: 'keyword', boost: 1 },
  ...(label === 'print' ? [] : [{ label: `end${label}`, type: 'keyword' as const }]),
]);
const branches: NameCompletion[] = ['else', 'elif'].map((label) => ({ label, type: 'keyword' }));
const functions = names.functions.map((label): NameCompletion => ({ label, type: 'function' }));

function optionsOf(
  place: NonNullable<ReturnType<typeof completionPlace>>,
  source: string,
  isExplicit: boolean,
): readonly NameCompletion[] {
  switch (place.kind) {
    case 'text':
      return isExplicit ? variables.map((each) => ({ ...each, apply: `{{ ${each.label} }}` })) : [];
    case 'filter':
      return filters;
    case 'test':
      return tests;
    case 'tag':
      return [...tags, ...branches];
    case 'member':
      return membersOf(place.object).map((label) => ({ label, type: 'property' }));
    case 'variable': {
      const own = ownNames(source).map((label): NameCompletion => ({ label, type: 'variable', boost: 3 }));
      return [...own, ...variables, ...functions];
    }
  }
}

function membersOf(object: string): readonly string[] {
  if (object === 'loop') return loopMembers;
  const sample: unknown = new Map<string, unknown>(Object.entries(sampleFacts)).get(object);
  if (typeof sample === 'object' && sample !== null) return Object.keys(sample);
  return names.members.get(object) ?? [];
}

function noted(
  label: string,
  type: NameCompletion['type'],
  { boost }: Pick<NameCompletion, 'boost'>,
): NameCompletion {
  const detail = type === 'variable' ? variableNotes[label] : filterNotes[label];
  return {
    label,
    type,
    ...(detail === undefined ? {} : { detail, boost: boost ?? 1 }),
  };
}
