import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { composeService, interpolate, readCompose, readText } from './support/compose.js';
import { faultsOfCompose } from './support/compose-specification.js';
import { imageEnv, imageSteps } from './support/image.js';
import { testWith } from './support/test-with.js';
import { loaders, makeEnv, variablesReadBy } from './support/variables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const services = Object.keys(loaders);
const { services: all, volumes } = readCompose();
const port = imageEnv().PORT;
const metricsPort = imageEnv().METRICS_PORT;

test('the compose file uses only keys of the Compose specification', () => {
  expect(
    faultsOfCompose(parse(interpolate(readText('docker-compose.yml'), makeEnv()), { merge: true })),
  ).toEqual([]);
});

testWith(['docker', 'compose', 'version'], 'docker takes the compose file', () => {
  const env = { ...process.env, ...makeEnv() };
  execFileSync('docker', ['compose', '-f', 'docker-compose.yml', 'config', '--quiet'], { cwd: root, env });
});

test.each([
  ['a key that does not exist', { image: 'x', enviroment: {} }],
  ['a list where a text belongs', { image: ['x'] }],
  ['neither an image nor a build', { command: ['x'] }],
  ['a condition that does not exist', { image: 'x', depends_on: { other: { condition: 'service_ready' } } }],
  ['an interval without a unit', { image: 'x', healthcheck: { test: ['CMD', 'x'], interval: '10' } }],
  ['a port that is none', { image: 'x', ports: ['127.0.0.1:web:80'] }],
  ['a variable without a value', { image: 'x', environment: { A: { b: 1 } } }],
])('the check of the compose file finds %s', (_, service) => {
  expect(faultsOfCompose({ name: 'tocsin', services: { one: { image: 'x' }, wrong: service } })).not.toEqual(
    [],
  );
});

test.each([...services, 'migrations'])('%s runs a built file in a hardened container', (name) => {
  const service = composeService(name);
  const [script = ''] = service.command ?? [];
  expect(existsSync(`${root}${script.replace('/dist/', '/src/').replace(/js$/, 'ts')}`)).toBe(true);
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
});

test('one service builds the image that all services run', () => {
  const ours = [...services, 'migrations'].map((name) => composeService(name));
  expect(new Set(ours.map(({ image }) => image)).size).toBe(1);
  expect(ours.filter(({ build }) => build !== undefined)).toHaveLength(1);
});

test('the image runs node directly, not as root, with a health check', () => {
  const steps = imageSteps();
  expect(steps).toContainEqual({ kind: 'user', name: 'node' });
  expect(steps).toContainEqual({ kind: 'entrypoint', words: ['node'] });
  expect(steps).toContainEqual({ kind: 'healthcheck', words: ['node', 'infra/healthcheck.js', '/livez'] });
  const installs = steps.filter((step) => step.kind === 'run').map(({ command }) => command);
  expect(installs).toHaveLength(1);
  expect(installs[0]).toContain('npm ci --omit=dev');
});

test('the image contains every package that a service imports', () => {
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
])('the health check requests %s on PORT; the response %i gives exit code %i', async (path, status, code) => {
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

test.each(services)('the health check of %s is its readiness', (name) => {
  expect(composeService(name).healthcheck?.test).toEqual(['CMD', 'node', 'infra/healthcheck.js', '/readyz']);
});

test('each published port is a port of its service and bound to loopback', () => {
  const own: Record<string, string | undefined> = {
    'webhook-api': port,
    'engine-auth': port,
    rabbitmq: '5672',
    keycloak: '8080',
    prometheus: '9090',
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

test('workers can be scaled because they have no host port and no fixed name', () => {
  const worker = composeService('delivery-worker');
  expect([worker.ports, worker.container_name]).toEqual([undefined, undefined]);
});

test('services start after migrations, broker definitions and a healthy broker', () => {
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

test('each mounted file exists', () => {
  const mounts = Object.values(all).flatMap(({ volumes: mounted = [] }) => mounted);
  expect(mounts.length).toBeGreaterThan(8);
  for (const mount of mounts) {
    const [source = ''] = mount.split(':');
    const exists = source.startsWith('./') ? existsSync(`${root}${source}`) : source in volumes;
    expect([mount, exists]).toEqual([mount, true]);
  }
});

test('Prometheus scrapes each service at its metrics port', () => {
  interface Scrape {
    job_name: string;
    dns_sd_configs?: { names: string[]; port: number }[];
    static_configs?: { targets: string[] }[];
  }
  const { scrape_configs: jobs } = parse(readText('infra/prometheus/prometheus.yml')) as {
    scrape_configs: Scrape[];
  };
  for (const name of services) {
    const job = jobs.find(({ job_name }) => job_name === name);
    expect(job?.dns_sd_configs).toMatchObject([{ names: [name], type: 'A', port: Number(metricsPort) }]);
  }
  expect(jobs.map(({ job_name }) => job_name).sort()).toEqual([...services, 'rabbitmq'].sort());
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: KubernetesContainer[] } } };
}

interface KubernetesContainer {
  args: string[];
  env: { name: string }[];
  ports?: { name: string; containerPort: number }[];
  livenessProbe?: { httpGet: { path: string; port: string } };
  readinessProbe?: { httpGet: { path: string; port: string } };
}

function readManifests(): Manifest[] {
  return readdirSync(`${root}infra/kubernetes`)
    .flatMap((file) => parseAllDocuments(readText(`infra/kubernetes/${file}`)))
    .map((document) => document.toJS() as Manifest);
}

test.each(services)(
  'the Kubernetes manifest of %s has the ports, paths and variables of the code',
  (name) => {
    const manifest = readManifests().find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
    );
    const [container] = manifest?.spec.template.spec.containers ?? [];
    expect(container).toMatchObject({
      args: composeService(name).command,
      ports: [
        { name: 'http', containerPort: Number(port) },
        { name: 'metrics', containerPort: Number(metricsPort) },
      ],
      livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    });
    const given = container?.env.map((entry) => entry.name) ?? [];
    const read = variablesReadBy(name);
    expect(given.filter((variable) => !read.has(variable))).toEqual([]);
    const config = readManifests().find(({ kind }) => kind === 'ConfigMap') as unknown as {
      data: Record<string, string>;
    };
    const env = Object.fromEntries(given.map((variable) => [variable, secretOf(variable)]));
    expect(() => loaders[name]?.({ ...imageEnv(), ...config.data, ...env })).not.toThrow();
  },
);

function secretOf(variable: string): string {
  if (variable === 'DATABASE_URL') return 'postgres://tocsin@postgres/tocsin';
  return variable === 'AMQP_URL' ? 'amqp://rabbitmq' : `k1:${Buffer.alloc(32).toString('base64')}`;
}
