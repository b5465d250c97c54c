import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAlertCheck } from '../src/index.js';
import { cli } from './support/cli.js';

const directory = mkdtempSync(join(tmpdir(), 'tocsin-validate-'));
afterAll(() => rmSync(directory, { recursive: true }));

const alert = {
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'm',
  metric_value: 1,
};
const message = {
  ...alert,
  alert_id: randomUUID(),
  workspace_id: randomUUID(),
  fired_at: '2026-01-31T12:00:00+01:00',
};

/** Runs `alerts validate` without the address of a server. */
function validate(content: unknown, ...flags: string[]) {
  const file = join(directory, `${randomUUID()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return cli(['alerts', 'validate', file, ...flags], { env: {} });
}

test('`alerts validate` accepts an alert for REST, and names missing members that AMQP requires', async () => {
  expect(await validate(message)).toEqual({ code: 0, stdout: 'The alert is valid over REST.\n', stderr: '' });
  expect(await validate(alert)).toEqual({
    code: 0,
    stdout: 'The alert is valid over REST.\n',
    stderr:
      'Entry 1, over AMQP also: /alert_id is required; /workspace_id is required; /fired_at is required.\n',
  });
  expect(await validate(message, '--amqp')).toMatchObject({
    code: 0,
    stdout: 'The alert is valid over AMQP.\n',
  });
  expect((await validate(alert, '--amqp')).code).toBe(6);
});

test('all problems of all alerts are printed with their paths, and the exit code is 6', async () => {
  const wrong = {
    ...alert,
    metric_value: '1',
    model_id: 'm',
    labels: { '1': 'x', a: 1 },
    annotations: { a: 'x'.repeat(4_096) },
    state: 'ok',
    severity: 'high',
  };
  const { code, stdout, stderr } = await validate([message, wrong, { ...alert, model_name: undefined }]);
  expect(code).toBe(6);
  expect(stderr).toContain('2 of 3 alerts are not valid over REST.');
  const places = stdout
    .trim()
    .split('\n')
    .map((line) => /entry (\d): (\S+)/.exec(line)?.slice(1).join(' '));
  expect(places.sort()).toEqual([
    '2 /annotations',
    '2 /labels/1',
    '2 /labels/a',
    '2 /metric_value',
    '2 /model_id',
    '2 /severity',
    '2 /state',
    '3 /model_name',
  ]);
});

test('`alerts validate --json` prints one entry with a list of problems for each alert', async () => {
  const { code, stdout } = await validate([message, {}], '--json');
  expect(code).toBe(6);
  const [valid, invalid] = JSON.parse(stdout);
  expect(valid).toEqual({ entry: 1, problems: [], over_amqp: [] });
  expect(invalid.problems).toContainEqual({ path: '/metric_value', message: 'is required' });
});

test('each line of a file is checked, even after a line that is not JSON', async () => {
  const lines = [JSON.stringify(message), '{"broken": ', '', '[1]', '5'].join('\n');
  const { code, stdout } = await validate(lines);
  expect(code).toBe(6);
  expect(stdout).toMatch(/entry 2: the alert is not JSON/);
  expect(stdout).toMatch(/entry 3: the alert must be an object/);
  expect(stdout).toMatch(/entry 4: the alert must be an object/);
});

test.each([
  ['a broken document', '{\n  "a": 1,\n  "b": \n}', /^.*entry 1: the alert is not JSON.*\n$/],
  [
    'a time in the year 0',
    { ...message, fired_at: '0001-01-01T00:00:00+01:00' },
    /\/fired_at must be within/,
  ],
  ['a NUL character', { ...message, model_name: 'a\0b' }, /\/model_name must not contain a NUL/],
  ['deep nesting', `${'{"x":'.repeat(5_000)}1${'}'.repeat(5_000)}`, /the alert is nested too deeply/],
  ['more than 1 MiB', { ...message, x: 'x'.repeat(1_048_576) }, /bytes; 1048576 are allowed/],
])('alerts validate reports one problem for a file with %s', async (_, content, expected) => {
  const { code, stdout } = await validate(content, '--amqp');
  expect(code).toBe(6);
  expect(stdout).toMatch(expected);
  expect(stdout.trim().split('\n')).toHaveLength(1);
});

test('`alerts validate` rejects an empty file and a missing file as usage errors', async () => {
  expect((await validate('  \n')).code).toBe(2);
  expect((await cli(['alerts', 'validate', join(directory, 'none.json')], { env: {} })).code).toBe(2);
});

test('createAlertCheck returns a function that lists the problems of an alert without a server', () => {
  expect(createAlertCheck({ over: 'rest' })(alert)).toEqual([]);
  expect(createAlertCheck({ over: 'rest' })({ ...alert, extra: 1 }).map(({ path }) => path)).toEqual([
    '/extra',
  ]);
  expect(createAlertCheck({ over: 'amqp' })({ ...message, extra: 1 })).toEqual([]);
  expect(createAlertCheck({ over: 'amqp' })(null)).toEqual([{ path: '', message: 'must be an object' }]);
});
