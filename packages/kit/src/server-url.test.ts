import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readEnv } from './env.js';
import { readBrokerUrl, readDatabaseUrl } from './server-url.js';

const directory = mkdtempSync(join(tmpdir(), 'tocsin-tls-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'file.pem');
writeFileSync(file, 'hunter2');
const missing = join(directory, 'missing.pem');

function problemsOf(variables: Record<string, string>): readonly string[] {
  const read = readers[Object.keys(variables)[0] as keyof typeof readers];
  try {
    readEnv(variables, (reader) => ({ url: read(reader) }));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
const readers = { DATABASE_URL: readDatabaseUrl, AMQP_URL: readBrokerUrl };

test.each([
  ['DATABASE_URL', 'postgres://h/d'],
  ['DATABASE_URL', 'postgres://h/d?sslmode=disable'],
  ['DATABASE_URL', 'postgres://h/d?sslmode=verify-full'],
  ['AMQP_URL', 'amqp://h'],
  ['AMQP_URL', 'amqps://h/?verify=verify_peer'],
])('the setting %s=%s is accepted', (name, url) => {
  expect(problemsOf({ [name]: url })).toEqual([]);
});

test.each([
  ['DATABASE_URL', 'postgres://h/d?sslmode=no-verify'],
  ['DATABASE_URL', 'postgres://h/d?ssl=no-verify'],
  ['DATABASE_URL', 'postgres://h/d?uselibpqcompat=true&sslmode=require'],
  ['AMQP_URL', 'amqps://h/?verify=verify_none'],
])('the setting %s=%s is rejected, because it switches off the check of certificates', (name, url) => {
  expect(problemsOf({ [name]: url })).toEqual([`${name} must not switch off the check of certificates`]);
});

test.each([
  ['DATABASE_URL', 'postgres://u:hunter2@h/d?sslrootcert=', 'sslrootcert'],
  ['DATABASE_URL', 'postgres://u:hunter2@h/d?sslkey=', 'sslkey'],
  ['AMQP_URL', 'amqps://u:hunter2@h/?cacertfile=', 'cacertfile'],
  ['AMQP_URL', 'amqps://u:hunter2@h/?certfile=', 'certfile'],
])(
  'the error for %s=%s… with a missing file states the path, parameter and reason',
  (name, url, parameter) => {
    expect(problemsOf({ [name]: `${url}${missing}` })).toEqual([
      `${name} names ${missing} (${parameter}), which cannot be read (ENOENT)`,
    ]);
  },
);

test('a file of certificate authorities that contains no certificate is rejected', () => {
  expect(problemsOf({ DATABASE_URL: `postgres://h/d?sslrootcert=${file}` })).toEqual([
    'DATABASE_URL names a file without a PEM certificate (sslrootcert)',
  ]);
});

test('a URL that names a client certificate without its key is rejected', () => {
  expect(problemsOf({ AMQP_URL: `amqps://h/?certfile=${file}` })).toEqual([
    'AMQP_URL needs both certfile and keyfile',
  ]);
});

test('the error for invalid certificate and key files does not quote their content', () => {
  const [problem] = problemsOf({ DATABASE_URL: `postgres://h/d?sslcert=${file}&sslkey=${file}` });
  expect(problem).toMatch(/^DATABASE_URL names certificates that cannot be used: /);
  expect(problem).not.toContain('hunter2');
});

test('a URL without TLS that names a certificate file is rejected', () => {
  expect(problemsOf({ AMQP_URL: `amqp://h/?cacertfile=${missing}` })[0]).toBe(
    'AMQP_URL has cacertfile and no TLS: it must begin with amqps://',
  );
});
