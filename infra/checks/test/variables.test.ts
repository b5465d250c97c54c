import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeService, interpolate, readText, variablesIn } from './support/compose.js';
import { imageEnv } from './support/image.js';
import {
  least,
  loaders,
  makeEnv,
  makeEnvScript,
  readExamples,
  variablesReadBy,
} from './support/variables.js';

const services = Object.keys(loaders);
const examples = readExamples();
const exampleNames = examples.map(({ name }) => name);
const usedByCompose = variablesIn(readText('docker-compose.yml'));

test('.env.example lists each variable once with a sentence', () => {
  expect(new Set(exampleNames).size).toBe(exampleNames.length);
  for (const { name, sentence } of examples) {
    expect(`${name} ${sentence}`).toMatch(/ # .{20,}[.;]$/);
  }
});

test('.env.example lists exactly the variables that are read', () => {
  const read = new Set([
    ...services.flatMap((service) => [...variablesReadBy(service)]),
    ...usedByCompose.map(({ name }) => name),
  ]);
  expect([...exampleNames].sort()).toEqual([...read].sort());
});

test.each(services)('the compose file passes %s exactly its variables', (service) => {
  const given = { ...imageEnv(), ...composeService(service).environment };
  const read = variablesReadBy(service);
  // HOST is not set: each container listens on all of its own addresses.
  read.delete('HOST');
  expect(Object.keys(given).sort()).toEqual([...read, 'NODE_ENV'].sort());
});

const written = examples.filter(({ commented, value }) => commented && value !== '');

test.each(services)('.env.example shows the defaults of %s', (service) => {
  const plain = JSON.stringify(loaders[service]?.(least));
  const read = variablesReadBy(service);
  const setByCompose = ['OIDC_ISSUER', 'OIDC_DISCOVERY_URL', 'PUBLIC_URL'];
  for (const { name, value } of written) {
    if (!read.has(name) || setByCompose.includes(name)) continue;
    expect([name, JSON.stringify(loaders[service]?.({ ...least, [name]: value }))]).toEqual([name, plain]);
  }
});

test('.env.example shows the defaults of the compose file', () => {
  const fallbacks = usedByCompose.filter(({ fallback }) => fallback !== '');
  expect(fallbacks.length).toBeGreaterThan(4);
  for (const { name, fallback } of fallbacks) {
    expect([name, examples.find((example) => example.name === name)?.value]).toEqual([name, fallback]);
  }
});

test.each(services)('the output of make-env.js is a valid configuration of %s', (service) => {
  const env = makeEnv();
  const given = Object.entries(composeService(service).environment);
  const resolved = Object.fromEntries(given.map(([name, text]) => [name, interpolate(String(text), env)]));
  expect(() => loaders[service]?.({ ...imageEnv(), ...resolved })).not.toThrow();
});

test.each(services)('%s refuses a disabled check of certificates', (service) => {
  const env = { ...least, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  expect(() => loaders[service]?.(env)).toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused');
});

test('the compose file has no default for any secret', () => {
  const secrets = usedByCompose.filter(({ name }) => /PASSWORD|SECRET|_KEY$/.test(name));
  expect(secrets.length).toBeGreaterThan(9);
  // The engine works without an admin key, so this variable is optional.
  for (const use of secrets.filter(({ name }) => name !== 'GENAI_ENGINE_ADMIN_KEY')) {
    expect(use).toMatchObject({ required: true, fallback: '' });
  }
  const spelledOut = readText('docker-compose.yml').match(/(PASSWORD|SECRET|_KEYS?|PASS): [^$\s].*/g);
  expect(spelledOut).toBeNull();
});

test('make-env.js writes a file for its owner only, and never over an existing one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-env-'));
  const file = join(directory, '.env');
  const run = () => spawnSync(process.execPath, [makeEnvScript, file], { encoding: 'utf8' });
  expect(run()).toMatchObject({ status: 0, stdout: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const first = readFileSync(file, 'utf8');
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('exists already') });
  expect(readFileSync(file, 'utf8')).toBe(first);
  rmSync(directory, { recursive: true });
});

test('two runs of make-env.js share no secret', () => {
  const [first, second] = [makeEnv(), makeEnv()];
  expect(Object.keys(first).length).toBeGreaterThan(10);
  for (const [name, value] of Object.entries(first)) {
    expect(value.length).toBeGreaterThanOrEqual(32);
    expect([name, second[name]]).not.toEqual([name, value]);
  }
});
