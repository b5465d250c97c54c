import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { hostname } from 'node:os';
import { createLogger, type LoggerOptions } from './logger.js';
import { Secret } from './secret.js';

function logged(
  write: (logger: ReturnType<typeof createLogger>) => void,
  options: Partial<LoggerOptions> = {},
): string {
  const lines: string[] = [];
  write(
    createLogger({
      service: 'test',
      level: 'info',
      ...options,
      destination: { write: (line: string) => void lines.push(line) },
    }),
  );
  return lines.join('');
}

test('a log line contains service, version, instance, level, time and event', () => {
  const line = JSON.parse(logged((logger) => logger.info({ deliveryId: 'd' }, 'delivery.attempted')));
  expect(line).toMatchObject({ service: 'test', level: 'info', msg: 'delivery.attempted', deliveryId: 'd' });
  expect(Date.parse(line.time)).not.toBeNaN();
  expect(line.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(line.instance).toBe(`${hostname()} ${process.pid}`);
});

test.each([
  [100, 1_000, 1_000],
  [10, 50, 200],
  [0, 0, 0],
])(
  '%d percent of the success lines are written, and all lines of other kinds',
  (successPercent, least, most) => {
    const text = logged(
      (logger) => {
        for (let count = 0; count < 1_000; count += 1) logger.success({ count }, 'delivery.attempted');
        logger.info({}, 'service.stopping');
        logger.child({}).warn({}, 'last');
      },
      { successPercent },
    );
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const successes = lines.filter(({ msg }) => msg === 'delivery.attempted');
    expect(successes.length).toBeGreaterThanOrEqual(least);
    expect(successes.length).toBeLessThanOrEqual(most);
    expect(successes.every(({ level }) => level === 'info')).toBe(true);
    expect(lines.slice(-2).map(({ msg }) => msg)).toEqual(['service.stopping', 'last']);
  },
);

test('success lines are not written if the log level is warn', () => {
  expect(logged((logger) => logger.success({}, 'event'), { level: 'warn' })).toBe('');
});

test('credentials in nested log fields are redacted', () => {
  const text = logged((logger) =>
    logger.info(
      {
        authorization: 'hunter2',
        headers: { Authorization: 'hunter2' },
        a: { b: { token: 'hunter2' } },
        key: new Secret('hunter2'),
      },
      'event',
    ),
  );
  expect(text).not.toContain('hunter2');
});

test.each(['authorization', 'cookie', 'password', 'secret', 'client_secret', 'token', 'api_key'])(
  'a log field with the name %s is redacted, also inside of four objects and in upper case',
  (name) => {
    const nested = { a: { b: { c: { d: { [name.toUpperCase()]: 'hunter2' } } } } };
    const text = logged((logger) => logger.info({ [name]: 'hunter2', ...nested }, 'event'));
    expect(text).not.toContain('hunter2');
    expect(text.match(/\[redacted\]/g)).toHaveLength(2);
  },
);

test('a logged error contains its causes with their codes, and no other properties of causes', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', config: { auth: 'hunter2' } });
  const text = logged((logger) => logger.error({ err: new Error('outer', { cause }) }, 'event'));
  expect(JSON.parse(text).err).toMatchObject({
    message: 'outer',
    cause: { message: 'refused', code: 'ECONNREFUSED' },
  });
  expect(text).not.toContain('hunter2');
});

test('an error that is its own cause is logged', () => {
  const error: Error & { cause?: unknown } = new Error('round');
  error.cause = error;
  expect(logged((logger) => logger.error({ err: error }, 'event'))).toContain('round');
});

test.each([
  ['A fatal line', "logger.fatal({}, 'last'); process.kill(process.pid, 'SIGKILL')"],
  ['The exit of the process', "logger.info({}, 'last'); process.exit()"],
  [
    'The interval of 100 ms',
    "logger.info({}, 'last'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 10_000)",
  ],
])('%s writes all waiting log lines to standard output, in order', async (_name, end) => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL('../dist/logger.js', import.meta.url))});
    const logger = createLogger({ service: 'test', level: 'info' });
    logger.info({}, 'first');
    logger.child({ a: 1 }).warn({ name: 'é😀' }, 'second');
    ${end};`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('last')) child.kill();
  }
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg, a, name }) => [msg, a, name])).toEqual([
    ['first', undefined, undefined],
    ['second', 1, 'é😀'],
    ['last', undefined, undefined],
  ]);
});

test.each([
  ['full disk', '/dev/full'],
  ['reader that does not read', 'pipe'],
])('log output to a %s does not block the service or its exit', async (_name, target) => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL('../dist/logger.js', import.meta.url))});
    const logger = createLogger({ service: 'test', level: 'info' });
    for (let count = 0; count < 5_000; count += 1) logger.info({ text: 'x'.repeat(1_000) }, 'line');
    logger.fatal({}, 'last');
    setTimeout(() => process.exit(7), 200);`;
  const stdout = target === 'pipe' ? ('pipe' as const) : openSync(target, 'w');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', stdout, 'inherit'],
  });
  const [code] = await once(child, 'exit');
  expect(code).toBe(7);
});
