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

test('a configuration with NODE_TLS_REJECT_UNAUTHORIZED=0 is refused', () => {
  expect(problemsOf(() => readEnv({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, () => ({})))).toEqual([
    expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED=0 is refused/),
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
    RANGES: '10.0.0.0/8,::1, 192.168.1.1',
    RULES: '{"x":1}',
    EMPTY: '  ',
  };
  const config = readEnv(env, (read) => ({
    port: read.port('PORT'),
    flag: read.bool('FLAG', false),
    names: read.list('NAMES'),
    waitMs: read.durationMs('WAIT'),
    scheduleMs: read.durationsMs('SCHEDULE'),
    ranges: read.cidrs('RANGES'),
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
    ranges: ['10.0.0.0/8', '::1/128', '192.168.1.1/32'],
    rules: { x: 1 },
    empty: 'fallback',
    level: 'info',
    none: undefined,
  });
});

test('all problems are reported at once and without the values, which can be secrets', () => {
  const env = {
    PORT: '99999',
    COUNT: '1e3',
    FLAG: 'hunter2',
    URL: 'ftp://hunter2@x',
    DATABASE: 'hunter2',
    WAIT: '5',
    RANGES: '10.0.0.0/33',
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
      ranges: read.cidrs('RANGES'),
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
    'RANGES',
    'RULES',
    'MISSING',
  ]);
  expect(problems.join()).not.toContain('hunter2');
});

test('an error of the builder does not hide the problem of a variable', () => {
  const problems = problemsOf(() =>
    readEnv({}, (read) => ({ first: read.json<string[]>('LIST', (value) => value as string[]).at(0) })),
  );
  expect(problems).toEqual(['LIST is required']);
});

test.each(['-1', '65536', '80.5', '0x50', '', 'http', '８０'])('%j is rejected as a port', (PORT) => {
  expect(problemsOf(() => readEnv({ PORT }, (read) => ({ port: read.port('PORT') })))).toHaveLength(1);
});

test('the problem of a duration below the minimum names the minimum', () => {
  const waitOf = (WAIT: string) =>
    readEnv({ WAIT }, (read) => ({ ms: read.durationMs('WAIT', 5, { min: 1_500 }) }));
  expect(waitOf('1500ms').ms).toBe(1_500);
  expect(problemsOf(() => waitOf('1.499s'))).toEqual(['WAIT must be 1.5s or more']);
});

test.each(['10.0.0.0/', '10.0.0.0/-1', '10.0.0/8', '::1/129', '10.0.0.0/8/8', 'example.com', '010.0.0.1'])(
  '%j is rejected as an address range',
  (RANGES) => {
    expect(problemsOf(() => readEnv({ RANGES }, (read) => ({ x: read.cidrs('RANGES') })))).toHaveLength(1);
  },
);

test('the configuration is frozen at every level', () => {
  const config = readEnv({}, () => ({ http: { ports: [1] } }));
  expect(() => config.http.ports.push(2)).toThrow(TypeError);
});

test('a secret is printed as [redacted] everywhere; only reveal returns it', () => {
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
