import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCompose, readText } from './support/compose.js';
import { readExamples } from './support/variables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readText('docs/operate.md');
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text).join('\n');

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

test('every link of the guide leads somewhere', () => {
  const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const links = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(links.length).toBeGreaterThan(20);
  for (const link of links.filter((target) => !target.startsWith('http'))) {
    const found = link.startsWith('#') ? anchors.includes(link.slice(1)) : existsSync(`${root}docs/${link}`);
    expect([link, found]).toEqual([link, true]);
  }
});

test('every file and every service that a command names exists', () => {
  const files = commands.match(/\b(infra|packages|services)\/[\w./-]+/g) ?? [];
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const source = file.replace('/dist/', '/src/').replace(/(\/src\/.*)\.js$/, '$1.ts');
    expect([file, existsSync(`${root}${source}`)]).toEqual([file, true]);
  }
  const { services } = readCompose();
  const named = [
    ...commands.matchAll(/docker compose (?:exec|run)(?: -[-\w]+(?: \S+="[^"]*")?)* ([a-z-]+)/g),
  ];
  expect(named.length).toBeGreaterThan(6);
  for (const [, name = ''] of named) expect(Object.keys(services)).toContain(name);
});

test('every variable that the guide names is in .env.example, or is made by the compose file', () => {
  const known = new Set(readExamples().map(({ name }) => name));
  const named = [...guide.matchAll(/`([A-Z][A-Z_]{5,})(?:=[^`]*)?`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('every event that the guide explains is one that the code logs', () => {
  const table = guide.slice(guide.indexOf('| `msg` |'), guide.indexOf('`request_id` is'));
  const events = [...table.matchAll(/`([a-z]+(?:\.[a-z_]+)+)`/g)].map(([, event = '']) => event);
  expect(events.length).toBeGreaterThan(12);
  const sources = [
    'packages/kit/src/http/track-requests.ts',
    'packages/kit/src/logger.ts',
    'packages/kit/src/run-service.ts',
    'packages/messaging/src/connection.ts',
    'packages/messaging/src/parts.ts',
    'services/delivery-worker/src/fan-out/fan-out-alert.ts',
    'services/delivery-worker/src/fan-out/announce.ts',
    'services/delivery-worker/src/delivery/deliver.ts',
    'services/delivery-worker/src/delivery/record.ts',
    'services/delivery-worker/src/dispatch/dispatcher.ts',
    'services/delivery-worker/src/housekeeping/housekeeper.ts',
    'services/delivery-worker/src/patience.ts',
  ]
    .map(readText)
    .join('\n')
    // The broker's events of a lost connection are put together from their two ends.
    .replaceAll("lost('disconnected')", "'broker.disconnected'");
  expect(events.filter((event) => !sources.includes(`'${event}'`))).toEqual([]);
});

test('what the guide has people make in their checkout is ignored by git: secrets, dumps, settings of their own', () => {
  const ignored = readText('.gitignore').split('\n');
  const made = [
    ...[...commands.matchAll(/mkdir -p (\S+)/g)].map(([, name]) => `${name}/`),
    ...[...commands.matchAll(/(?:cat|\S) >>? ([\w.-]+)(?=[\s;]|$)/g)].map(([, name]) => name),
    ...[...commands.matchAll(/"\.\/([\w.-]+):/g)].map(([, name]) => name),
  ];
  expect(new Set(made)).toEqual(
    new Set(['.env', 'backup/', 'docker-compose.override.yml', 'authorities.pem']),
  );
  for (const name of made) expect(ignored).toContain(name);
});
