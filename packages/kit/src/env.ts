import { readFileSync } from 'node:fs';
import { type ParseResult, parseBoolean, parseDurationMs, parseInteger, parseUrl } from './env-formats.js';
import { Secret } from './secret.js';

/** Error that lists all problems of the environment variables, one line each. */
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
 * Reads settings into one deeply frozen object. A variable without a fallback is required, except with the methods
 * `optional…`. An empty variable counts as not set. A secret NAME can also be read from the file that NAME_FILE names.
 * @throws ConfigError that lists all problems, without values that can be secrets. A variable that switches off the
 *   check of certificates is also a problem
 */
export function readEnv<T extends object>(env: Environment, build: (read: EnvReader) => T): Readonly<T> {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(uncheckedCertificates)) {
    if (env[name] === value)
      problems.push(`${name}=${value} is rejected: it switches off the check of certificates`);
  }
  const reader = createReader(env, problems);
  let config: T;
  try {
    config = build(reader);
  } catch (error) {
    // A rejected variable has a placeholder as its value, and the placeholder can make `build` throw. The error of
    // `build` is then only a consequence, so only the rejected variables are reported.
    if (problems.length === 0) throw error;
    throw new ConfigError(problems);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(config);
}

/**
 * Two environment variables, each with the value that switches off the check of certificates: the first one in Node for
 * all servers, the second one in pg for the database.
 */
const uncheckedCertificates = { NODE_TLS_REJECT_UNAUTHORIZED: '0', PGSSLMODE: 'no-verify' };

export type EnvReader = ReturnType<typeof createReader>;

function createReader(env: Environment, problems: string[]) {
  function read<T>(
    name: string,
    fallback: T | undefined,
    placeholder: T,
    parse: (text: string) => ParseResult<T>,
  ): T {
    return parseText({ name, text: env[name]?.trim(), fallback, placeholder, parse });
  }

  function readSecret<T>(
    name: string,
    fallback: T | undefined,
    placeholder: T,
    parse: (text: string) => ParseResult<T>,
  ): T {
    const found = findSecret(env, name);
    if ('value' in found) return parseText({ name, text: found.value, fallback, placeholder, parse });
    problems.push(found.problem);
    return placeholder;
  }

  function parseText<T>({ name, text, fallback, placeholder, parse }: Setting<T>): T {
    if (!text) {
      if (fallback !== undefined) return fallback;
      problems.push(`${name} is required`);
      return placeholder;
    }
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    problems.push(`${name} ${parsed.problem}`);
    return placeholder;
  }

  function each<T>(text: string, parse: (item: string) => ParseResult<T>): ParseResult<T[]> {
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
    /** Reads a port, from 0 to 65535. With port 0, the operating system chooses a free port. */
    port: (name: string, fallback?: number) =>
      read(name, fallback, 0, (text) => parseInteger(text, { min: 0, max: 65_535 })),
    bool: (name: string, fallback?: boolean) => read(name, fallback, false, parseBoolean),
    oneOf: <const V extends string>(name: string, values: readonly [V, ...V[]], fallback?: V) =>
      read<V>(name, fallback, values[0], (text) => {
        const value = values.find((candidate) => candidate === text);
        return value === undefined ? { problem: `must be one of ${values.join(', ')}` } : { value };
      }),
    /** Reads a comma-separated list of texts. */
    list: (name: string, fallback?: string[]) =>
      read<string[]>(name, fallback, [], (text) => ({ value: splitList(text) })),
    url: (name: string) =>
      read(name, undefined, 'http://placeholder.invalid', (text) => parseUrl(text, ['http', 'https'])),
    /** Reads a URL that can contain a password. */
    secretUrl: (name: string, protocols: readonly string[]) =>
      new Secret(
        readSecret(name, undefined, `${protocols[0]}://placeholder.invalid`, (text) =>
          parseUrl(text, protocols),
        ),
      ),
    secret: (name: string) => new Secret(readSecret(name, undefined, '', (value) => ({ value }))),
    optionalSecret: (name: string) => {
      const text = readSecret(name, '', '', (value) => ({ value }));
      return text === '' ? undefined : new Secret(text);
    },
    durationMs: (name: string, fallback?: number, range: { min?: number } = {}) =>
      read(name, fallback, 0, (text) => parseDurationMs(text, range)),
    /** Reads a comma-separated list of durations as milliseconds. */
    durationsMs: (name: string, fallback?: number[]) =>
      read<number[]>(name, fallback, [], (text) => each(text, parseDurationMs)),
    /** `check` returns the typed value, or throws an error whose message completes the sentence "NAME …". */
    json: <T>(name: string, check: (value: unknown) => T, fallback?: T) =>
      read<T>(name, fallback, undefined as T, (text) => parseJson(text, check)),
    /** Adds a problem that concerns several variables. `sentence` is the whole text of the problem. */
    problem: (sentence: string) => {
      problems.push(sentence);
    },
  };
}

interface Setting<T> {
  name: string;
  text: string | undefined;
  fallback: T | undefined;
  placeholder: T;
  parse: (text: string) => ParseResult<T>;
}

/**
 * Returns the value of the variable NAME, or the content of the file that NAME_FILE names. White space at both ends is
 * removed; an empty file counts as not set. A problem is a whole sentence, and never contains the secret.
 */
function findSecret(env: Environment, name: string): ParseResult<string | undefined> {
  const value = env[name]?.trim();
  const path = env[`${name}_FILE`]?.trim();
  if (!path) return { value };
  if (value) return { problem: `${name} and ${name}_FILE are both set; remove one of them` };
  try {
    return { value: readFileSync(path, 'utf8').trim() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: `${name}_FILE names ${path}, which cannot be read (${code})` };
  }
}

function parseJson<T>(text: string, check: (value: unknown) => T): ParseResult<T> {
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
