import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError, readEnv } from './env.js';

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

test('a configuration with NODE_TLS_REJECT_UNAUTHORIZED=0 or PGSSLMODE=no-verify is rejected', () => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', PGSSLMODE: 'no-verify' };
  expect(problemsOf(() => readEnv(env, () => ({})))).toEqual([
    expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED=0 is rejected/),
    expect.stringMatching(/^PGSSLMODE=no-verify is rejected/),
  ]);
  expect(readEnv({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, () => ({}))).toEqual({});
});

test('settings are parsed to their types, with fallbacks for unset and empty variables', () => {
  const env = {
    PORT: '8080',
    FLAG: 'Yes',
    NAMES: 'a, b,,c ',
    WAIT: '1.5s',
    SCHEDULE: '5s,2m,1h',
    RULES: '{"x":1}',
    EMPTY: '  ',
  };
  const config = readEnv(env, (read) => ({
    port: read.port('PORT'),
    flag: read.bool('FLAG', false),
    names: read.list('NAMES'),
    waitMs: read.durationMs('WAIT'),
    scheduleMs: read.durationsMs('SCHEDULE'),
    rules: read.json('RULES', (value) => value as { x: number }),
    empty: read.string('EMPTY', 'fallback'),
    level: read.oneOf('LEVEL', ['info', 'debug'], 'info'),
    none: read.optionalString('NONE'),
  }));
  expect(config).toEqual({
    port: 8080,
    flag: true,
    names: ['a', 'b', 'c'],
    waitMs: 1_500,
    scheduleMs: [5_000, 120_000, 3_600_000],
    rules: { x: 1 },
    empty: 'fallback',
    level: 'info',
    none: undefined,
  });
});

test('all problems of the settings are reported, without values, because these can be secrets', () => {
  const env = {
    PORT: '99999',
    COUNT: '1e3',
    FLAG: 'hunter2',
    URL: 'ftp://hunter2@x',
    DATABASE: 'hunter2',
    WAIT: '5',
    RULES: 'hunter2',
  };
  const problems = problemsOf(() =>
    readEnv(env, (read) => ({
      port: read.port('PORT'),
      count: read.int('COUNT', 5, { min: 1 }),
      flag: read.bool('FLAG'),
      url: read.url('URL'),
      database: read.secretUrl('DATABASE', ['postgres']),
      wait: read.durationMs('WAIT'),
      rules: read.json('RULES', (value) => value),
      missing: read.secret('MISSING'),
    })),
  );
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'PORT',
    'COUNT',
    'FLAG',
    'URL',
    'DATABASE',
    'WAIT',
    'RULES',
    'MISSING',
  ]);
  expect(problems.join()).not.toContain('hunter2');
});

test('a missing variable is reported even if its placeholder makes the builder throw', () => {
  const problems = problemsOf(() =>
    readEnv({}, (read) => ({ first: read.json<string[]>('LIST', (value) => value as string[]).at(0) })),
  );
  expect(problems).toEqual(['LIST is required']);
});

test.each(['-1', '65536', '80.5', '0x50', '', 'http', '８０'])('%j is rejected as a port', (PORT) => {
  expect(problemsOf(() => readEnv({ PORT }, (read) => ({ port: read.port('PORT') })))).toHaveLength(1);
});

test('the error for a duration below the minimum states the minimum', () => {
  const waitOf = (WAIT: string) =>
    readEnv({ WAIT }, (read) => ({ ms: read.durationMs('WAIT', 5, { min: 1_500 }) }));
  expect(waitOf('1500ms').ms).toBe(1_500);
  expect(problemsOf(() => waitOf('1.499s'))).toEqual(['WAIT must be 1.5s or more']);
});

test('the configuration is frozen at every level', () => {
  const config = readEnv({}, () => ({ http: { ports: [1] } }));
  expect(() => config.http.ports.push(2)).toThrow(TypeError);
});

test('a secret is printed as [redacted], and only reveal returns its value', () => {
  const { key } = readEnv({ KEY: 'hunter2' }, (read) => ({ key: read.secret('KEY') }));
  const printed = [
    `${key}`,
    JSON.stringify({ key }),
    inspect({ key }, { depth: 9, showHidden: true }),
    String(key),
  ];
  expect(printed.join()).not.toContain('hunter2');
  expect(key.reveal()).toBe('hunter2');
});

describe('a secret in a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-secrets-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const fileOf = (content: string) => {
    const path = join(directory, 'secret');
    writeFileSync(path, content);
    return path;
  };

  test.each(['hunter2', 'hunter2\n', 'hunter2\r\n', ' hunter2 \n\n'])(
    'white space at both ends of the file content %j is not part of the secret',
    (content) => {
      const KEY_FILE = fileOf(content);
      const { key, optional } = readEnv({ KEY_FILE }, (read) => ({
        key: read.secret('KEY'),
        optional: read.optionalSecret('KEY'),
      }));
      expect([key.reveal(), optional?.reveal()]).toEqual(['hunter2', 'hunter2']);
    },
  );

  test('a URL from a file is checked like a URL from a variable', () => {
    const urlOf = (content: string) =>
      readEnv({ URL_FILE: fileOf(content) }, (read) => ({ url: read.secretUrl('URL', ['postgres']) }));
    expect(urlOf('postgres://u:hunter2@h/d\n').url.reveal()).toBe('postgres://u:hunter2@h/d');
    expect(problemsOf(() => urlOf('http://hunter2@h'))).toEqual([
      'URL must be an absolute URL that begins with postgres://',
    ]);
  });

  test('a secret that is set both by a variable and by a file is rejected', () => {
    const env = { KEY: 'hunter2', KEY_FILE: fileOf('hunter2') };
    const problem = 'KEY and KEY_FILE are both set; remove one of them';
    expect(problemsOf(() => readEnv(env, (read) => ({ key: read.secret('KEY') })))).toEqual([problem]);
    expect(problemsOf(() => readEnv(env, (read) => ({ key: read.optionalSecret('KEY') })))).toEqual([
      problem,
    ]);
  });

  test('a secret is read from one of NAME and NAME_FILE if the other variable is empty', () => {
    const KEY_FILE = fileOf('hunter2');
    expect(readEnv({ KEY: ' ', KEY_FILE }, (read) => ({ key: read.secret('KEY') })).key.reveal()).toBe(
      'hunter2',
    );
    const env = { KEY: 'hunter2', KEY_FILE: ' ' };
    expect(readEnv(env, (read) => ({ key: read.secret('KEY') })).key.reveal()).toBe('hunter2');
  });

  test('a secret in an empty file counts as not set', () => {
    const KEY_FILE = fileOf('\n');
    expect(readEnv({ KEY_FILE }, (read) => ({ key: read.optionalSecret('KEY') })).key).toBeUndefined();
    expect(problemsOf(() => readEnv({ KEY_FILE }, (read) => ({ key: read.secret('KEY') })))).toEqual([
      'KEY is required',
    ]);
  });

  test.each([
    ['a missing file', 'missing', 'ENOENT'],
    ['a directory', '', 'EISDIR'],
  ])('the error for a secret file that is %s states the path and the reason', (_, name, code) => {
    const KEY_FILE = join(directory, name);
    expect(problemsOf(() => readEnv({ KEY_FILE }, (read) => ({ key: read.secret('KEY') })))).toEqual([
      `KEY_FILE names ${KEY_FILE}, which cannot be read (${code})`,
    ]);
  });

  test('a setting that is not a secret is never read from a file', () => {
    const env = { NAME_FILE: fileOf('hunter2') };
    expect(readEnv(env, (read) => ({ name: read.optionalString('NAME') })).name).toBeUndefined();
  });
});
