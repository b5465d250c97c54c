import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deploymentRoles, type Permission, workspaceRoles } from '@tocsin/identity/browser';
import { findFreePorts } from '@tocsin/local';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase } from '@tocsin/testing/database';
import { startService, stop, testSettings } from './support/stack.js';

// `REGENERATE=1 npm test -- infra/checks/test/security-guide` updates the tables of docs/security.md.

interface Operation {
  'x-permission'?: string;
  security?: unknown[];
}

type Paths = Record<string, Record<string, Operation>>;
let paths: Paths;
beforeAll(async () => {
  const database = await createTestDatabase();
  const [a = 0, b = 0, c = 0, d = 0] = await findFreePorts(4);
  const env = testSettings(database.url, (await createTestBroker()).url);
  const services = [
    await startService('webhook-api', { env, ports: [a, b] }),
    await startService('engine-auth', { env, ports: [c, d] }),
  ];
  const documents = await Promise.all(
    services.map(async ({ url }) => (await fetch(`${url}/openapi.json`)).json() as Promise<{ paths: Paths }>),
  );
  paths = Object.assign({}, ...documents.map((document) => document.paths));
  await stop(services);
  await database.drop();
}, 60_000);

test('the tables of roles and permissions in docs/security.md match the code', () => {
  const file = fileURLToPath(new URL('../../../docs/security.md', import.meta.url));
  const text = readFileSync(file, 'utf8');
  const [before = '', , after = ''] = text.split(/(?<=<!-- roles -->\n)|(?=<!-- \/roles -->)/);
  const current = `${before}${tables()}${after}`;
  if (process.env.REGENERATE !== undefined) writeFileSync(file, current);
  expect(readFileSync(file, 'utf8')).toBe(current);
});

function tables(): string {
  const roles = { ...workspaceRoles, ...deploymentRoles };
  const operations = listOperations();
  const permissions = [...new Set(Object.values(roles).flatMap((granted) => [...granted]))].sort();
  const rows = permissions.map((permission) => [
    `\`${permission}\``,
    operations.get(permission)?.join('<br>') ?? '',
    ...Object.values(roles).map((granted) => (granted.has(permission as Permission) ? 'yes' : '')),
  ]);
  return [
    '',
    table(['permission', 'operations', ...Object.keys(roles)], rows),
    '',
    `Any valid token (for \`/auth/verify\` also an engine key): ${operations.get('token')?.join(', ')}.`,
    '',
    `No token: ${operations.get('public')?.join(', ')}, and the files of the console and of the API reference.`,
    '',
    '',
  ].join('\n');
}

/**
 * Returns the operations of both APIs by the required permission. The key is `token` if any valid token suffices, and
 * `public` if no token is required.
 */
function listOperations(): Map<string, string[]> {
  const operations = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const access = operation['x-permission'] ?? (operation.security === undefined ? 'token' : 'public');
      const line = `\`${method.toUpperCase()} ${path.replace('/api/v1', '')}\``;
      operations.set(access, [...(operations.get(access) ?? []), line].sort());
    }
  }
  return operations;
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

test('the tables of docs/security.md show which roles can publish and which cannot', () => {
  const line = tables()
    .split('\n')
    .find((row) => row.startsWith('| `workspace_publish_alert`'));
  expect(line).toMatch(
    /POST \/workspaces\/\{workspace_id\}\/alerts`.* \| {2}\| {2}\| {2}\| yes \| yes \| yes \| {2}\|$/,
  );
});
