import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  composeService,
  interpolate,
  mountedSecrets,
  readCompose,
  readText,
  variablesIn,
} from './support/compose.js';
import { imageEnv } from './support/image.js';
import {
  least,
  loaders,
  makeDeployment,
  makeEnvScript,
  readExamples,
  secretVariables,
  variablesReadBy,
} from './support/variables.js';

const services = Object.keys(loaders);
const examples = readExamples();
const exampleNames = examples.map(({ name }) => name);
const usedByCompose = variablesIn(readText('docker-compose.yml'));

test('.env.example lists each variable once, with a sentence', () => {
  expect(new Set(exampleNames).size).toBe(exampleNames.length);
  for (const { name, sentence } of examples) {
    expect(`${name} ${sentence}`).toMatch(/ # .{20,}[.;]$/);
  }
});

test('.env.example lists exactly the variables that services and the compose file read', () => {
  const read = new Set([
    ...services.flatMap((service) => [...variablesReadBy(service)]),
    ...usedByCompose.map(({ name }) => name),
  ]);
  expect([...exampleNames].sort()).toEqual([...read].sort());
});

test.each(services)('the compose file sets each variable that %s reads, except HOST', (service) => {
  const given = { ...imageEnv(), ...composeService(service).environment };
  // HOST is not set, so that containers listen on all their addresses. Secrets are passed as files.
  const read = [...variablesReadBy(service)]
    .filter((name) => name !== 'HOST')
    .map((name) => (secretVariables.includes(name) ? `${name}_FILE` : name));
  expect(Object.keys(given).sort()).toEqual([...read, 'NODE_ENV'].sort());
});

const written = examples.filter(({ commented, value }) => commented && value !== '');

test.each(services)(
  'the values in .env.example are the defaults of %s, except those that the compose file sets',
  (service) => {
    const plain = JSON.stringify(loaders[service]?.(least));
    const read = variablesReadBy(service);
    const setByCompose = ['OIDC_ISSUER', 'OIDC_DISCOVERY_URL', 'PUBLIC_URL'];
    for (const { name, value } of written) {
      if (!read.has(name) || setByCompose.includes(name)) continue;
      expect([name, JSON.stringify(loaders[service]?.({ ...least, [name]: value }))]).toEqual([name, plain]);
    }
  },
);

test('the defaults of the compose file are the values in .env.example', () => {
  const fallbacks = usedByCompose.filter(({ fallback }) => fallback !== '');
  expect(fallbacks.length).toBeGreaterThan(4);
  for (const { name, fallback } of fallbacks) {
    expect([name, examples.find((example) => example.name === name)?.value]).toEqual([name, fallback]);
  }
});

test.each(services)('the output of make-env.js is a valid configuration for %s', (service) => {
  const { env, secrets } = makeDeployment();
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-secrets-'));
  const files = mountedSecrets(service).map(({ path, secret }) => {
    writeFileSync(join(directory, secret), secrets[secret] ?? '');
    return [path, join(directory, secret)] as const;
  });
  const given = Object.entries(composeService(service).environment).map(([name, text]) => {
    const value = interpolate(String(text), env);
    return [name, new Map(files).get(value) ?? value];
  });
  const load = () => loaders[service]?.({ ...imageEnv(), ...Object.fromEntries(given) });
  expect(load).not.toThrow();
  // The configuration refers to the generated files, so it is invalid without them.
  rmSync(directory, { recursive: true });
  expect(load).toThrow(/_FILE names .* which cannot be read \(ENOENT\)/);
});

test.each(services)(
  'the service %s rejects NODE_TLS_REJECT_UNAUTHORIZED=0, which disables certificate checks',
  (service) => {
    const env = { ...least, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => loaders[service]?.(env)).toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0 is rejected');
  },
);

test('make-env.js writes all secrets of the compose file, and a container mounts each of them', () => {
  const { services: all, secrets } = readCompose();
  const files = Object.entries(secrets).map(([name, { file }]) => [name, file]);
  expect(files).toEqual(Object.keys(secrets).map((name) => [name, `./secrets/${name}`]));
  expect(Object.keys(secrets).sort()).toEqual(Object.keys(makeDeployment().secrets).sort());
  const mounted = Object.keys(all).flatMap((name) => mountedSecrets(name).map(({ secret }) => secret));
  expect([...new Set(mounted)].sort()).toEqual(Object.keys(secrets).sort());
});

test('no variable of the compose file contains a secret', () => {
  const secret = /PASSWORD|PASS$|SECRET|_KEYS?$|_URL$/;
  const isPath = (value: string) => value.startsWith('/run/secrets/');
  const held = Object.entries(readCompose().services).flatMap(([service, { environment }]) =>
    Object.entries(environment)
      .filter(([name, value]) => secret.test(name.replace(/_+FILE$/, '')) && !isPath(String(value)))
      .map(([name]) => `${service} ${name}`),
  );
  expect(held.sort()).toEqual([
    'engine-auth MAX_API_KEYS',
    'engine-auth OIDC_DISCOVERY_URL',
    'keycloak KC_DB_URL',
    'keycloak PUBLIC_URL',
    'webhook-api OIDC_DISCOVERY_URL',
    'webhook-api PUBLIC_URL',
  ]);
});

test('the documented table of secrets lists each file that make-env.js writes to secrets/', () => {
  const rows = [...readText('docs/operate.md').matchAll(/^\| `secrets\/([a-z_]+)` \|/gm)].map(
    ([, name]) => name,
  );
  expect(rows.sort()).toEqual(Object.keys(makeDeployment().secrets).sort());
});

describe('make-env.js', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tocsin-env-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const run = () => spawnSync(process.execPath, [makeEnvScript, directory], { encoding: 'utf8' });

  test('make-env.js creates .env with mode 600, secrets/ with mode 700 and its files with mode 644', () => {
    const umask = process.umask(0o077);
    expect(run()).toMatchObject({ status: 0, stdout: '' });
    process.umask(umask);
    expect(statSync(join(directory, '.env')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'secrets')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(directory, 'secrets')))
      expect([name, statSync(join(directory, 'secrets', name)).mode & 0o777]).toEqual([name, 0o644]);
  });

  test.each(['.env', 'secrets'])('make-env.js writes nothing if %s exists', (name) => {
    const path = join(directory, name);
    writeFileSync(path, 'mine');
    chmodSync(path, 0o644);
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining(`exists already: ${path}`) });
    expect([readdirSync(directory), readFileSync(path, 'utf8')]).toEqual([[name], 'mine']);
  });
});

test('two runs of make-env.js generate different secrets', () => {
  const [first, second] = [makeDeployment().secrets, makeDeployment().secrets];
  const random = Object.entries(first).filter(([name]) => !['chat_url', 'watchdog_url'].includes(name));
  expect(random.length).toBeGreaterThan(10);
  for (const [name, value] of random) {
    expect(value.length).toBeGreaterThanOrEqual(32);
    expect([name, second[name]]).not.toEqual([name, value]);
  }
});

test('make-env.js gives the services and their database and broker the same passwords', () => {
  const { secrets } = makeDeployment();
  expect(new URL(secrets.database_url ?? '').password).toBe(secrets.tocsin_db_password);
  expect(secrets.rabbitmq_user).toBe(
    `default_user = tocsin\ndefault_pass = ${new URL(secrets.amqp_url ?? '').password}`,
  );
});
