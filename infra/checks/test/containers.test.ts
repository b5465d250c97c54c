import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceNodeOptions } from '@tocsin/local';
import { parse } from 'yaml';
import { composeService, interpolate, mountedSecrets, readCompose, readText } from './support/compose.js';
import { faultsOfCompose } from './support/compose-specification.js';
import { imageEnv, imageSteps } from './support/image.js';
import { testWith } from './support/test-with.js';
import { loaders, makeDeployment } from './support/variables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const services = Object.keys(loaders);
const { services: all, volumes, networks } = readCompose();
const port = imageEnv().PORT;

const composeFile = () =>
  parse(interpolate(readText('docker-compose.yml'), makeDeployment().env), { merge: true }) as object;

test('the compose file uses only keys of the Compose specification', () => {
  expect(faultsOfCompose(composeFile())).toEqual([]);
});

testWith(['docker', 'compose', 'version'], 'docker accepts the compose file', () => {
  const env = { ...process.env, ...makeDeployment().env };
  execFileSync('docker', ['compose', '-f', 'docker-compose.yml', 'config', '--quiet'], { cwd: root, env });
});

testWith(['check-jsonschema', '--version'], 'the compose file is valid for the published schema', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-compose-'));
  const file = join(directory, 'docker-compose.json');
  writeFileSync(file, JSON.stringify(composeFile()));
  const args = ['--builtin-schema', 'vendor.compose-spec', file];
  const { status, stdout, stderr } = spawnSync('check-jsonschema', args, { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('ok')]);
});

test.each([
  ['a key that does not exist', { image: 'x', enviroment: {} }],
  ['a list where a text belongs', { image: ['x'] }],
  ['neither an image nor a build', { command: ['x'] }],
  ['a condition that does not exist', { image: 'x', depends_on: { other: { condition: 'service_ready' } } }],
  ['an interval without a unit', { image: 'x', healthcheck: { test: ['CMD', 'x'], interval: '10' } }],
  ['a port that is none', { image: 'x', ports: ['127.0.0.1:web:80'] }],
  ['a variable without a value', { image: 'x', environment: { A: { b: 1 } } }],
])('the check of the compose file reports %s', (_, service) => {
  expect(faultsOfCompose({ name: 'tocsin', services: { one: { image: 'x' }, wrong: service } })).not.toEqual(
    [],
  );
});

const ours = [...services, 'archive', 'migrations', 'rotate-keys'];

test.each(ours)('the command of the container %s runs a script whose source file exists', (name) => {
  const [script = ''] = composeService(name).command ?? [];
  expect(existsSync(`${root}${script.replace('/dist/', '/src/').replace(/js$/, 'ts')}`)).toBe(true);
});

test.each(Object.keys(all))(
  'the container %s runs without root rights, with a memory limit and rotated logs',
  (name) => {
    const { user, cap_drop, security_opt, read_only, mem_limit, logging } = composeService(name);
    expect(user).toMatch(/^(?!root$|0$)[a-z]+$/);
    expect({ cap_drop, security_opt }).toEqual({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // Keycloak needs a writable file system, because its first start writes into its program directory.
    expect(read_only).toBe(name !== 'keycloak');
    expect(mem_limit).toMatch(/^\d+m$/);
    expect(logging).toEqual({ driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } });
  },
);

const megabytes = (name: string) => Number.parseInt(composeService(name).mem_limit ?? '', 10);

test('the memory limits of containers that run at the same time add up to less than 4 GB', () => {
  const sum = (names: string[]) => names.reduce((total, name) => total + megabytes(name), 0);
  const named = Object.entries(all).filter(([, { profiles }]) => profiles === undefined);
  const lasting = named.filter(([, { restart }]) => restart !== 'no').map(([name]) => name);
  const first = named.filter(([, { restart }]) => restart === 'no').map(([name]) => name);
  // 200 MB remain for the operating system.
  expect(sum(lasting)).toBeLessThanOrEqual(4_096 - 200);
  // Containers with `restart: no` end before the services start, so they can use the memory of the services.
  expect(sum(first)).toBeLessThanOrEqual(sum(services));
  // Containers with a profile are commands for operators. The guide tells operators to stop Grafana and to run only one
  // command at a time, so a command can use the memory of Grafana.
  const commands = Object.keys(all).filter((name) => all[name]?.profiles !== undefined);
  expect(Math.max(...commands.map(megabytes))).toBeLessThanOrEqual(megabytes('grafana'));
});

test('PostgreSQL, RabbitMQ and Keycloak are configured for the memory of their containers', () => {
  const setting = (file: string, name: string) =>
    Number(new RegExp(`^${name} = (\\d+)MB$`, 'm').exec(readText(file))?.[1]);
  const postgres = 'infra/postgres/postgresql.conf';
  expect(setting(postgres, 'shared_buffers')).toBeLessThan(megabytes('postgres') / 3);
  expect(setting(postgres, 'effective_cache_size')).toBeLessThan(megabytes('postgres'));
  expect(setting('infra/rabbitmq/30-memory.conf', 'total_memory_available_override_value')).toBe(
    megabytes('rabbitmq'),
  );
  const [, heap] = /-Xmx(\d+)m/.exec(composeService('keycloak').environment.JAVA_OPTS_KC_HEAP ?? '') ?? [];
  expect(Number(heap)).toBeLessThanOrEqual(0.6 * megabytes('keycloak'));
});

test('only containers that call external addresses can reach the Internet', () => {
  expect(networks.inside).toEqual({ internal: true });
  expect(networks.published?.driver_opts).toEqual({
    'com.docker.network.bridge.enable_ip_masquerade': 'false',
  });
  const on = (network: string) => Object.keys(all).filter((name) => all[name]?.networks?.includes(network));
  expect(on('inside')).toEqual(Object.keys(all));
  expect(on('outside').sort()).toEqual([
    'alertmanager',
    'blackbox-exporter',
    'delivery-worker',
    'engine-auth',
    'keycloak',
    'webhook-api',
  ]);
  for (const [name, { ports = [], networks: own = [] }] of Object.entries(all)) {
    // A container that publishes ports needs a second network, because an internal network alone does not allow
    // published ports.
    if (ports.length > 0) expect([name, own.length]).toEqual([name, 2]);
  }
});

test('each service, Prometheus and its PostgreSQL exporter get only the secrets that they need', () => {
  const given = Object.keys(all).map((name) => [
    name,
    mountedSecrets(name)
      .map(({ secret }) => secret)
      .sort(),
  ]);
  expect(Object.fromEntries(given)).toMatchObject({
    'delivery-worker': ['amqp_url', 'database_url', 'secrets_keys'],
    'engine-auth': ['amqp_url', 'database_url', 'engine_admin_key'],
    'postgres-exporter': ['metrics_db_password'],
    prometheus: [],
    'webhook-api': ['amqp_url', 'database_url', 'secrets_keys'],
  });
});

test('one container of the compose file builds the image that all containers of Tocsin use', () => {
  const containers = ours.map((name) => composeService(name));
  expect(new Set(containers.map(({ image }) => image)).size).toBe(1);
  expect(containers.filter(({ build }) => build !== undefined)).toHaveLength(1);
});

test('the image starts node directly, as a user without root rights, and has a health check', () => {
  const steps = imageSteps();
  expect(steps).toContainEqual({ kind: 'user', name: '1000' });
  expect(steps).toContainEqual({ kind: 'entrypoint', words: ['node', ...serviceNodeOptions] });
  expect(steps).toContainEqual({ kind: 'healthcheck', words: ['node', 'infra/healthcheck.js', '/livez'] });
  const installs = steps.filter((step) => step.kind === 'run').map(({ command }) => command);
  expect(installs).toHaveLength(1);
  expect(installs[0]).toContain('npm ci --omit=dev');
});

test('the image contains exactly the packages of Tocsin on which the services depend', () => {
  const neededBy = (folder: string): string[] => {
    const { dependencies = {} } = JSON.parse(readText(`${folder}/package.json`)) as {
      dependencies?: Record<string, string>;
    };
    const own = Object.keys(dependencies).flatMap((name) => name.match(/^@tocsin\/(.*)/)?.[1] ?? []);
    return own.flatMap((name) => [name, ...neededBy(`packages/${name}`)]);
  };
  const needed = new Set(services.flatMap((name) => neededBy(`services/${name}`)));
  expect(needed.size).toBeGreaterThan(5);
  const shipped = [...readText('infra/Dockerfile').matchAll(/packages\/(\w+)\/dist/g)].map(
    ([, name]) => name,
  );
  expect(shipped.sort()).toEqual([...needed].sort());
});

test.each([
  ['/readyz', 200, 0],
  ['/readyz', 503, 1],
])('the health check requests %s on PORT, and status %i gives exit code %i', async (path, status, code) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port: own } = server.address() as AddressInfo;
  const check = spawn(process.execPath, [`${root}infra/healthcheck.js`, path], {
    env: { PORT: String(own) },
  });
  const ended = await new Promise((resolve) => check.once('exit', resolve));
  server.close();
  expect([ended, asked]).toEqual([code, [path]]);
});

test.each(services)('the health check of %s requests its readiness endpoint', (name) => {
  expect(composeService(name).healthcheck?.test).toEqual(['CMD', 'node', 'infra/healthcheck.js', '/readyz']);
});

test('each published port is a port of its service and is bound to loopback', () => {
  const own: Record<string, string | undefined> = {
    'webhook-api': port,
    'engine-auth': port,
    rabbitmq: '5672',
    keycloak: '8080',
    prometheus: '9090',
    alertmanager: '9093',
    grafana: '3000',
  };
  const published = Object.entries(all).flatMap(([name, { ports = [] }]) =>
    ports.map((text) => [name, text.split(':')] as const),
  );
  const hostPorts = published.map(([, [, host]]) => host);
  expect(new Set(hostPorts).size).toBe(hostPorts.length);
  for (const [name, [address, , target]] of published) {
    expect([name, address, target]).toEqual([name, '127.0.0.1', own[name]]);
  }
});

test('several workers can run, because their container has no host port and no fixed name', () => {
  const worker = composeService('delivery-worker');
  expect([worker.ports, worker.container_name]).toEqual([undefined, undefined]);
});

test('services start after the migrations and the broker definitions, once the broker is healthy', () => {
  expect(composeService('migrations').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of services) {
    expect(composeService(name).depends_on).toMatchObject({
      migrations: { condition: 'service_completed_successfully' },
      'broker-definitions': { condition: 'service_completed_successfully' },
      rabbitmq: { condition: 'service_healthy' },
    });
  }
  for (const { depends_on = {} } of Object.values(all)) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const needed = all[name];
      expect(needed).toBeDefined();
      if (condition === 'service_healthy') expect(needed?.healthcheck?.test).toBeDefined();
    }
  }
});

test('each file that the compose file mounts exists', () => {
  const mounts = Object.values(all).flatMap(({ volumes: mounted = [] }) => mounted);
  expect(mounts.length).toBeGreaterThan(8);
  const { env } = makeDeployment();
  for (const mount of mounts) {
    const [source = ''] = interpolate(mount, env).split(':');
    const exists = source.startsWith('./') ? existsSync(`${root}${source}`) : source in volumes;
    expect([mount, exists]).toEqual([mount, true]);
  }
});
