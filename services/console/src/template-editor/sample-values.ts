import type { Alert } from '@tocsin/client/browser';
import { type AlertFacts, sampleFacts } from '@tocsin/template/browser';

type FactName = keyof AlertFacts & string;

/** For each variable, its sample value as the text that the user typed. */
export type SampleTexts = Readonly<Record<FactName, string>>;

/** The variables whose sample values can be edited, in the order of the documentation. */
export const factNames = Object.keys(sampleFacts) as FactName[];

export function toTexts(facts: AlertFacts): SampleTexts {
  return Object.fromEntries(factNames.map((name) => [name, asText(facts[name])])) as SampleTexts;
}

/**
 * Converts the texts to the values of an alert. If a text cannot be converted to the type of its variable, for example
 * to a number, the result has an error for the variable, and the default sample value is used.
 */
export function fromTexts(texts: SampleTexts): {
  readonly facts: AlertFacts;
  readonly errors: ReadonlyMap<string, string>;
} {
  const errors = new Map<string, string>();
  const entries = factNames.map((name) => {
    const sample = sampleFacts[name];
    const value = parseLike(sample, texts[name]);
    if (value === undefined) errors.set(name, expected(sample));
    return [name, value ?? sample];
  });
  return { facts: Object.fromEntries(entries) as AlertFacts, errors };
}

/** Returns the values of a past alert. Variables that the alert does not have keep their sample values. */
export function factsOfAlert(alert: Alert): AlertFacts {
  const known: Readonly<Record<string, unknown>> = { ...alert };
  const entries = factNames.map((name) => {
    const value = known[name];
    return [name, typeof value === typeof sampleFacts[name] && value !== null ? value : sampleFacts[name]];
  });
  return Object.fromEntries(entries) as AlertFacts;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseLike(sample: unknown, text: string): unknown {
  if (typeof sample === 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === typeof sample && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function expected(sample: unknown): string {
  if (typeof sample === 'number') return 'Write a number, such as 0.42.';
  if (typeof sample === 'boolean') return 'Write true or false.';
  return 'Write an object as JSON, such as {"team": "risk"}.';
}
