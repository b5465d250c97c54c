import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deadLetterReasons } from '@tocsin/contracts';
import { readCompose, readText } from './support/compose.js';
import { readExamples, secretVariables } from './support/variables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readText('docs/operate.md');
/**
 * Documents for operators, and the release checklist. operate.md links to the documents for operators, directly or
 * through another document.
 */
const pages = [
  'operate.md',
  'capacity.md',
  'cells.md',
  'high-availability.md',
  'poolers.md',
  'proxy.md',
  'releasing.md',
  'security.md',
  'tls.md',
  'tracing.md',
  'upgrading.md',
].map((page) => `docs/${page}`);
const texts = pages.map(readText);
const commands = texts.flatMap(shellBlocks).join('\n');
/** Documents whose links and commands are checked. */
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...listFiles('docs').filter((file) => file.endsWith('.md')),
  ...['packages', 'services'].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .map((name) => `${folder}/${name}/README.md`)
      .filter((file) => existsSync(`${root}${file}`)),
  ),
];

/** Returns the text of each block of shell commands in a document. Removes the indentation of blocks in lists. */
function shellBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)];
  return blocks.map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** Returns the anchor that GitHub makes for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function scriptsOf(file: string): string[] {
  if (!existsSync(`${root}${file}`)) return [];
  const { scripts = {} } = JSON.parse(readText(file)) as { scripts?: Record<string, string> };
  return Object.keys(scripts);
}

function linksOf(file: string): string[] {
  const prose = readText(file).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

test.each(documents)('each link in %s has a target', (document) => {
  const anchorsOf = (file: string) =>
    [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  for (const link of linksOf(document).filter((target) => !target.startsWith('http'))) {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    const isFound =
      existsSync(`${root}${file}`) && (anchor === undefined || anchorsOf(file).includes(anchor));
    expect([link, isFound]).toEqual([link, true]);
  }
});

test('each document for operators can be reached by links from operate.md', () => {
  const reached = new Set(['docs/operate.md']);
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const file = join('docs', link.split('#')[0] ?? '');
      if (pages.includes(file)) reached.add(file);
    }
  }
  // operate.md does not lead to the release checklist, because the checklist is for developers.
  expect(pages.filter((page) => !reached.has(page))).toEqual(['docs/releasing.md']);
});

test.each(documents)(
  'bash can parse the commands in %s, and each npm script in the document exists',
  (document) => {
    // The README of a package can name scripts of the package.
    const scripts = ['package.json', join(dirname(document), 'package.json')].flatMap(scriptsOf);
    for (const block of shellBlocks(readText(document))) {
      const { stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
      expect([block, stderr]).toEqual([block, '']);
    }
    const named = [...readText(document).matchAll(/\bnpm run (?:-s )?([a-z][a-z:-]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  },
);

test('each file and service that a documented command names exists', () => {
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

test('each documented variable is a setting of Tocsin, Node.js or a library', () => {
  const known = new Set([
    ...readExamples().map(({ name }) => name),
    ...secretVariables.map((name) => `${name}_FILE`),
    // Variables of Node.js and of the library pg.
    ...['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'PGSSLMODE'],
    // Settings of OpenTelemetry that Tocsin does not read itself.
    ...['OTEL_BSP_MAX_QUEUE_SIZE', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES'],
    ...['OTEL_SERVICE_NAME', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
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

  test('each event in the documented table of log events is logged by the code', () => {
    expect(explained.filter((event) => !sources.includes(`'${event}'`))).toEqual([]);
  });

  test('the documented table of log events has each event that is logged at level info or above', () => {
    const calls = sources.matchAll(/\.(?:info|warn|error|fatal)\([^;]*?'([a-z_]+\.[a-z_]+)'/g);
    const logged = [...new Set([...calls].map(([, event = '']) => event))];
    expect(logged.length).toBeGreaterThan(30);
    expect(logged.filter((event) => !explained.includes(event))).toEqual([]);
  });
});

function listSources(folder: string): string[] {
  return listFiles(folder).filter(
    (file) =>
      /^\w+\/[\w-]+\/src\/.*\.ts$/.test(file) && !/^packages\/(bench|client)\/|\.test\.ts$/.test(file),
  );
}

function listFiles(folder: string): string[] {
  const names = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}/${name}`);
}

test('each dead-letter reason is documented in the section of the alarm DeadLetters', () => {
  const section = guide.slice(guide.indexOf('### DeadLetters'), guide.indexOf('### ManyCircuitsOpen'));
  expect(deadLetterReasons.filter((reason) => !section.includes(`\`${reason}\``))).toEqual([]);
});

test('git ignores the files that documented commands create', () => {
  const ignored = readText('.gitignore').split('\n');
  const made = [
    ...[...commands.matchAll(/(?:mkdir -p|install -d(?: -m \d+)?) ([^/\s]+)/g)].map(([, name]) => name),
    ...[...commands.matchAll(/(?:cat|\S) >>? ([\w.-]+)(?=[\s;]|$)/g)].map(([, name]) => name),
    ...[...commands.matchAll(/"\.\/([\w.-]+):/g)].map(([, name]) => name),
  ];
  expect(new Set(made)).toEqual(
    new Set(['.env', 'backup', 'docker-compose.override.yml', 'authorities.pem', 'authority', 'tls']),
  );
  for (const name of made)
    expect(ignored).toContain(/^(authority|backup|tls)$/.test(name ?? '') ? `${name}/` : name);
});

test('documented commands write dumps to a directory that only its owner can enter', () => {
  const dumping = texts.flatMap(shellBlocks).filter((block) => block.includes('pg_dump'));
  expect(dumping.length).toBeGreaterThan(1);
  expect(dumping.filter((block) => !block.includes('install -d -m 700 backup\n'))).toEqual([]);
});
