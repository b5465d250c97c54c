import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type ComposeService, readCompose, readText } from './support/compose.js';
import { testWith } from './support/test-with.js';
import { loaders, makeDeployment } from './support/variables.js';

// These tests check infra/external-servers.yml, which overrides parts of the compose file. With both files, the
// services use a database and a broker on other machines (docs/tls.md).

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { services: all } = readCompose();
const text = readText('infra/external-servers.yml');
// These tags of docker compose replace a value instead of merging it.
const customTags = ['!reset', '!override'].map((tag) => ({ tag, collection: 'map' as const }));
const { services: changed } = parse(text, { merge: true, customTags }) as {
  services: Record<string, ComposeService>;
};
const unused = ['broker-definitions', 'postgres', 'rabbitmq'];

test('with external servers, database and broker are disabled, and no other container needs them', () => {
  const disabled = Object.keys(changed).filter((name) => changed[name]?.profiles !== undefined);
  expect(disabled.sort()).toEqual(unused);
  for (const [name, { depends_on }] of Object.entries(all)) {
    const needed = Object.keys(changed[name]?.depends_on ?? depends_on ?? {});
    const isUnused = unused.includes(name);
    expect([name, isUnused ? [] : needed.filter((other) => unused.includes(other))]).toEqual([name, []]);
  }
});

test('containers that use an external database or broker can reach other machines', () => {
  const ours = [...Object.keys(loaders), 'archive', 'migrations', 'rotate-keys'];
  const users = [...ours, 'keycloak', 'postgres-exporter', 'prometheus'];
  const outside = Object.keys(changed).filter((name) => changed[name]?.networks?.includes('outside'));
  expect(outside.sort()).toEqual(users.sort());
  expect(Object.keys(all)).toEqual(expect.arrayContaining(Object.keys(changed)));
});

testWith(['docker', 'compose', 'version'], 'docker accepts the override file', () => {
  const env = { ...process.env, ...makeDeployment().env };
  const files = ['-f', 'docker-compose.yml', '-f', 'infra/external-servers.yml'];
  execFileSync('docker', ['compose', ...files, 'config', '--quiet'], { cwd: root, env });
});
