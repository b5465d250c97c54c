import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deadLetterReasons } from '@tocsin/contracts';
import { readCompose, readText } from './support/compose.js';
import { readExamples, secretVariables } from './support/variables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readText('docs/operate.md');
/** Documents for operators. operate.md links to all of them. */
const pages = ['operate.md', 'poolers.md', 'proxy.md', 'security.md', 'tls.md'];
const texts = pages.map((page) => readText(`docs/${page}`));
const commands = texts
  .flatMap((text) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)])
  .map(([, text = '']) => text)
  .join('\n');

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

test.each(pages)('each link in %s has a target', (page) => {
  const anchorsOf = (file: string) =>
    [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const links = [...readText(`docs/${page}`).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links.filter((target) => !target.startsWith('http'))) {
    const [path = '', anchor] = link.split('#');
    const file = `docs/${path === '' ? page : path}`;
    const isFound =
      existsSync(`${root}${file}`) && (anchor === undefined || anchorsOf(file).includes(anchor));
    expect([link, isFound]).toEqual([link, true]);
  }
});

test('operate.md links to each document for operators', () => {
  for (const page of pages.slice(1)) expect(guide).toContain(`](${page})`);
});

test('the files and services in documented commands exist', () => {
  const files = commands.match(/\b(infra|packages|services)\/[\w./-]+/g) ?? [];
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const source = file.replace('/dist/', '/src/').replace(/(\/src\/.*)\.js$/, '$1.ts');
    // A test command in a document can name a test file without its ending `.test.ts`.
    const exists = existsSync(`${root}${source}`) || existsSync(`${root}${source}.test.ts`);
    expect([file, exists]).toEqual([file, true]);
  }
  const { services } = readCompose();
  const named = [
    ...commands.matchAll(/docker compose (?:exec|run)(?: -[-\w]+(?: \S+="[^"]*")?)* ([a-z-]+)/g),
  ];
  expect(named.length).toBeGreaterThan(6);
  for (const [, name = ''] of named) expect(Object.keys(services)).toContain(name);
});

test('each documented variable is in .env.example or the compose file', () => {
  const known = new Set([
    ...readExamples().map(({ name }) => name),
    ...secretVariables.map((name) => `${name}_FILE`),
    // Variables that Node.js and the library pg define themselves.
    ...['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'PGSSLMODE'],
  ]);
  const named = [...texts.join('\n').matchAll(/`([A-Z][A-Z_]{5,})(?:=[^`]*)?`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe('the guide’s table of events', () => {
  const table = guide.slice(guide.indexOf('| `msg` |'), guide.indexOf('`request_id` is'));
  const explained = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, event = '']) => event);
  const sources = ['packages', 'services']
    .flatMap((folder) => listSources(folder))
    .map(readText)
    .join('\n')
    // The code composes the event name for a lost broker connection from `broker.` and the argument of `lost`.
    .replaceAll(/lost\('([a-z]+)'\)/g, "log.warn({}, 'broker.$1')");

  test('each listed event is logged by the code', () => {
    expect(explained.filter((event) => !sources.includes(`'${event}'`))).toEqual([]);
  });

  test('the table of events contains each event that the code logs by default', () => {
    const calls = sources.matchAll(/\.(?:info|warn|error|fatal)\([^;]*?'([a-z_]+\.[a-z_]+)'/g);
    const logged = [...new Set([...calls].map(([, event = '']) => event))];
    expect(logged.length).toBeGreaterThan(30);
    expect(logged.filter((event) => !explained.includes(event))).toEqual([]);
  });
});

function listSources(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[\w-]+\/src\/.*\.ts$/.test(file) && !/^(bench|client)\/|\.test\.ts$/.test(file))
    .map((file) => `${folder}/${file}`);
}

test('each dead-letter reason is documented below its alarm', () => {
  const section = guide.slice(guide.indexOf('### DeadLetters'), guide.indexOf('### ManyCircuitsOpen'));
  expect(deadLetterReasons.filter((reason) => !section.includes(`\`${reason}\``))).toEqual([]);
});

test('git ignores the files that documented commands create', () => {
  const ignored = readText('.gitignore').split('\n');
  const made = [
    ...[...commands.matchAll(/mkdir -p (\S+)/g)].map(([, name]) => name),
    ...[...commands.matchAll(/(?:cat|\S) >>? ([\w.-]+)(?=[\s;]|$)/g)].map(([, name]) => name),
    ...[...commands.matchAll(/"\.\/([\w.-]+):/g)].map(([, name]) => name),
  ];
  expect(new Set(made)).toEqual(
    new Set(['.env', 'backup', 'docker-compose.override.yml', 'authorities.pem', 'tls']),
  );
  for (const name of made) expect(ignored).toContain(/^(backup|tls)$/.test(name ?? '') ? `${name}/` : name);
});
