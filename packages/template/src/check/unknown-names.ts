import { alertContext, alertObjects, alertVariables, noticeVariables } from '../alert/alert-context.js';
import { sampleFacts } from '../alert/sample-facts.js';
import type { TemplateContext } from '../compile-template.js';
import { createGlobals } from '../evaluator/globals.js';
import { dictMethods } from '../methods/dict-methods.js';
import { nearest } from '../nearest.js';
import { Dict, type Value } from '../values/value.js';
import type { NameReference } from './name-references.js';

/** An unknown variable, or an unknown member of an object, with the places that use it without a default. */
export interface UnknownName extends Pick<NameReference, 'object' | 'name' | 'isSet'> {
  readonly uses: readonly NameReference[];
  /** A similar known name: a member of the same object, or else a variable. Undefined if there is none. */
  readonly suggestion: Pick<NameReference, 'object' | 'name'> | undefined;
}

/**
 * Returns unknown names: first those that the template never sets, then those that it sets somewhere. Each of these two
 * groups is in the order of first use and has at most `maxNames` names.
 */
export function findUnknownNames(references: readonly NameReference[], maxNames: number): UnknownName[] {
  const uses = new Map<string, [NameReference, ...NameReference[]]>();
  for (const reference of references) {
    if (reference.hasDefault || isKnown(reference)) continue;
    const key = `${reference.object ?? ''}.${reference.name}`;
    const others = uses.get(key);
    if (others === undefined) uses.set(key, [reference]);
    else others.push(reference);
  }
  const found = [...uses.values()];
  const ofKind = (isSet: boolean) => found.filter(([first]) => first.isSet === isSet).slice(0, maxNames);
  return [...ofKind(false), ...ofKind(true)].map((same) => {
    const [{ object, name, isSet }] = same;
    return { object, name, isSet, uses: same, suggestion: suggest(same[0]) };
  });
}

/** Names of all variables, including the objects and the variables of notices. */
export const variables: readonly string[] = [...alertVariables, ...alertObjects, ...noticeVariables];
/** Names of the members of each object. */
export const members: ReadonlyMap<string, readonly string[]> = new Map(
  alertObjects.map((object) => [object, [...memberNames(alertContext(sampleFacts).get(object))]]),
);
const globals: ReadonlySet<string> = new Set(createGlobals().keys());

function* memberNames(value: Value | undefined): Generator<string> {
  if (value instanceof Dict) for (const [name] of value.entries()) yield String(name);
}

function isKnown({ object, name, isSet }: NameReference): boolean {
  if (object === null) return variables.includes(name) || globals.has(name);
  const known = members.get(object);
  return known === undefined || isSet || known.includes(name) || dictMethods.has(name);
}

function suggest({ object, name }: NameReference): UnknownName['suggestion'] {
  const member = object === null ? undefined : nearest(name, members.get(object) ?? []);
  if (member !== undefined) return { object, name: member };
  const variable = nearest(name, variables) ?? containing(name);
  return variable === undefined ? undefined : { object: null, name: variable };
}

/**
 * A known name that contains the unknown name is suggested only if the unknown name has at least this length. A shorter
 * name can occur in several known names, so the suggestion would often be wrong.
 */
const minPartLength = 4;

/** Returns the shortest variable that contains a name, such as `metric_value` for `value`. */
function containing(name: string): string | undefined {
  const part = name.toLowerCase();
  if (part.length < minPartLength) return undefined;
  const longer = variables.filter((variable) => variable.includes(part));
  return longer.reduce<string | undefined>(
    (shortest, variable) =>
      shortest === undefined || variable.length < shortest.length ? variable : shortest,
    undefined,
  );
}

/**
 * Returns a message with the unknown name and `effect`. If the template sets the name somewhere, the message says where
 * the name must be set. Otherwise it suggests a similar name or lists all known names.
 */
export function explainUnknown(unknown: UnknownName, effect: string): string {
  const { object, name, isSet, suggestion } = unknown;
  if (isSet) {
    return `the variable '${name}' has no value here${effect}. Set it in every branch and outside of loops and macros.`;
  }
  const missing = object === null ? `there is no variable '${name}'` : `'${object}' has no member '${name}'`;
  return `${missing}${effect}. ${suggestion === undefined ? listNames(object) : `Did you mean '${suggestion.name}'?`}`;
}

function listNames(object: string | null): string {
  const names = object === null ? variables : (members.get(object) ?? []);
  const owner = object === null ? 'The variables are' : `'${object}' has`;
  return `${owner} ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
}

/** Returns the variables with values for `names`. Each name has the value of its suggestion, or 1 if there is none. */
export function defineNames(context: TemplateContext, names: readonly UnknownName[]): TemplateContext {
  const values = new Map<string, Value>(context);
  for (const { object, name, suggestion } of names) {
    const value = (suggestion && lookUp(values, suggestion)) ?? 1n;
    const owner = object === null ? undefined : values.get(object);
    if (object === null) values.set(name, value);
    else if (owner instanceof Dict) owner.setString(name, value);
  }
  return values;
}

function lookUp(
  values: ReadonlyMap<string, Value>,
  { object, name }: Pick<NameReference, 'object' | 'name'>,
): Value | undefined {
  if (object === null) return values.get(name);
  const owner = values.get(object);
  return owner instanceof Dict ? owner.getString(name) : undefined;
}
