import {
  type Parsed,
  parseBoolean,
  parseCidr,
  parseDurationMs,
  parseInteger,
  parseUrl,
} from './env-formats.js';
import { Secret } from './secret.js';

/** Everything that is wrong with the environment, one line for each problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings into one deeply frozen object. A reader without a fallback makes its variable required; an empty
 * variable counts as not set.
 * @throws ConfigError with every problem at once; no problem repeats the value, which may be a secret.
 */
export function readEnv<T extends object>(env: Environment, build: (read: EnvReader) => T): Readonly<T> {
  const problems: string[] = [];
  const reader = createReader(env, problems);
  let config: T;
  try {
    config = build(reader);
  } catch (error) {
    // A builder may trip over the stand-in of a variable that was refused; what matters is the refusal.
    if (problems.length === 0) throw error;
    throw new ConfigError(problems);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(config);
}

export type EnvReader = ReturnType<typeof createReader>;

function createReader(env: Environment, problems: string[]) {
  function read<T>(name: string, fallback: T | undefined, standIn: T, parse: (text: string) => Parsed<T>): T {
    const text = env[name]?.trim();
    if (!text) {
      if (fallback !== undefined) return fallback;
      problems.push(`${name} is required`);
      return standIn;
    }
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    problems.push(`${name} ${parsed.problem}`);
    return standIn;
  }

  function each<T>(text: string, parse: (item: string) => Parsed<T>): Parsed<T[]> {
    const values: T[] = [];
    for (const item of splitList(text)) {
      const parsed = parse(item);
      if ('problem' in parsed) return parsed;
      values.push(parsed.value);
    }
    return { value: values };
  }

  return {
    string: (name: string, fallback?: string) => read(name, fallback, '', (value) => ({ value })),
    optionalString: (name: string) => env[name]?.trim() || undefined,
    int: (name: string, fallback?: number, range: { min?: number; max?: number } = {}) =>
      read(name, fallback, 0, (text) => parseInteger(text, range)),
    /** 0 lets the system choose. */
    port: (name: string, fallback?: number) =>
      read(name, fallback, 0, (text) => parseInteger(text, { min: 0, max: 65_535 })),
    bool: (name: string, fallback?: boolean) => read(name, fallback, false, parseBoolean),
    oneOf: <const V extends string>(name: string, values: readonly [V, ...V[]], fallback?: V) =>
      read<V>(name, fallback, values[0], (text) => {
        const value = values.find((candidate) => candidate === text);
        return value === undefined ? { problem: `must be one of ${values.join(', ')}` } : { value };
      }),
    /** Separated by commas. */
    list: (name: string, fallback?: string[]) =>
      read<string[]>(name, fallback, [], (text) => ({ value: splitList(text) })),
    url: (name: string, fallback?: string, protocols: readonly string[] = ['http', 'https']) =>
      read(name, fallback, 'http://stand-in.invalid', (text) => parseUrl(text, protocols)),
    /** A URL that may hold a password. */
    secretUrl: (name: string, protocols: readonly string[], fallback?: string) =>
      new Secret(
        read(name, fallback, `${protocols[0]}://stand-in.invalid`, (text) => parseUrl(text, protocols)),
      ),
    secret: (name: string) => new Secret(read(name, undefined, '', (value) => ({ value }))),
    optionalSecret: (name: string) => {
      const text = env[name]?.trim();
      return text ? new Secret(text) : undefined;
    },
    durationMs: (name: string, fallback?: number, range: { min?: number } = {}) =>
      read(name, fallback, 0, (text) => parseDurationMs(text, range)),
    /** Separated by commas. */
    durationsMs: (name: string, fallback?: number[]) =>
      read<number[]>(name, fallback, [], (text) => each(text, parseDurationMs)),
    /** Separated by commas. */
    cidrs: (name: string, fallback?: string[]) =>
      read<string[]>(name, fallback, [], (text) => each(text, parseCidr)),
    /** `check` gives the typed value, or throws an error whose message completes "NAME …". */
    json: <T>(name: string, check: (value: unknown) => T, fallback?: T) =>
      read<T>(name, fallback, undefined as T, (text) => parseJson(text, check)),
    /** For rules that span several variables. */
    problem: (sentence: string) => {
      problems.push(sentence);
    },
  };
}

function parseJson<T>(text: string, check: (value: unknown) => T): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'must be JSON' };
  }
  try {
    return { value: check(value) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'is not valid' };
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
