import { readdirSync } from 'node:fs';
import { parse } from 'yaml';
import { parseDockerfile } from '../src/dockerfile.js';
import { readText } from './support/compose.js';

interface Job {
  permissions?: Record<string, string>;
  uses?: string;
  needs?: string | string[];
  'timeout-minutes'?: number;
  strategy?: { matrix: { node: string[] } };
  steps?: { uses?: string; run?: string }[];
}
interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const folder = '.github/workflows';
const files = readdirSync(new URL(`../../../${folder}`, import.meta.url));
const read = (file: string) => parse(readText(`${folder}/${file}`)) as Workflow;
const dockerfile = readText('infra/Dockerfile');

test.each(files)('each action in %s is pinned to a commit', (file) => {
  const used = Object.values(read(file).jobs).flatMap(({ uses, steps = [] }) => [
    ...(uses === undefined ? [] : [uses]),
    ...steps.flatMap((step) => step.uses ?? []),
  ]);
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40}$)/.test(name))).toEqual([]);
});

test.each(files)('each job in %s has minimal permissions and a timeout', (file) => {
  const { permissions, jobs } = read(file);
  expect(Object.values(permissions)).not.toContain('write');
  for (const [name, job] of Object.entries(jobs)) {
    if (job.uses === undefined) expect([name, (job['timeout-minutes'] ?? 0) > 0]).toEqual([name, true]);
    const written = Object.entries(job.permissions ?? {}).filter(([, right]) => right === 'write');
    expect([name, written.map(([scope]) => scope)]).toEqual([name, publishes[name] ?? []]);
  }
});

const publishes: Record<string, string[]> = {
  image: ['packages'],
  chart: ['packages'],
  client: ['id-token'],
  release: ['contents'],
};

test('a release publishes the image after the tests, then the chart, and then the client', () => {
  const { client, chart, image } = read('release.yml').jobs;
  expect([client?.needs, chart?.needs, image?.needs]).toEqual([['image', 'chart'], 'image', 'ci']);
});

test('ci.yml runs the tests with the oldest supported Node.js and with that of the image', () => {
  const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
  const [, image] = /^ARG NODE_VERSION=(.*)$/m.exec(dockerfile) ?? [];
  expect(read('ci.yml').jobs.test?.strategy?.matrix.node).toEqual([engines.node.replace('>=', ''), image]);
});

test('ci.yml installs each Debian package that the tests, run as root, would otherwise install', () => {
  const installing = [
    'infra/local/src/rabbitmq/install-rabbitmq.ts',
    'infra/checks/test/cells.test.ts',
    'infra/checks/test/support/monitoring.ts',
    'infra/checks/test/support/pgbouncer.ts',
    'packages/client/test/examples.test.ts',
  ].map(readText);
  const packages = installing.flatMap((text) => [
    ...text.matchAll(/name: '([a-z-]+)',\n {2}unitLinks/g),
    ...text.matchAll(/prepareServer\('([\w-]+)'\)/g),
    ...text.matchAll(/debianPackage: '([\w-]+)'/g),
    ...text.matchAll(/installPackages\(\['([\w-]+)'/g),
    ...text.matchAll(/: '(prometheus[a-z-]*)',/g),
  ]);
  const step = read('ci.yml').jobs.test?.steps?.find(({ run }) => run?.includes('apt-get install'))?.run;
  const installed = step?.split(/\s+/) ?? [];
  expect(packages.length).toBeGreaterThan(7);
  expect(packages.map(([, name = '']) => name).filter((name) => !installed.includes(name))).toEqual([]);
});

test('ci.yml restores a backup with the documented commands', () => {
  const [, section = ''] = readText('docs/operate.md').split('## Backup and restore');
  const [backup = '', restore = ''] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text);
  const run = (read('ci.yml').jobs.deployment?.steps ?? []).map((step) => step.run ?? '').join('\n');
  // The database of Keycloak is restored with the same commands as Tocsin's database, so only the commands for Tocsin's
  // database are checked.
  const commands = [...backup.split('\n'), ...restore.split('\n')].filter(
    (line) => !/ keycloak >/.test(line),
  );
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((line) => !run.includes(line))).toEqual([]);
});

test('a pipe in the Dockerfile fails if any of its commands fails', () => {
  const piping = parseDockerfile(dockerfile).filter(({ steps }) =>
    steps.some((step) => step.kind === 'run' && step.command.includes(' | ')),
  );
  expect(piping.length).toBeGreaterThan(0);
  for (const { steps } of piping) {
    expect(steps[0]).toMatchObject({ kind: 'shell', words: expect.arrayContaining(['pipefail']) });
  }
});
