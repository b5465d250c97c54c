import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The tests write a small repository with `packages` and `services`, and run tools of `npm run check` on it. */
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const configuration = join(repository, '.dependency-cruiser.cjs');
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tocsin-rules-'));
  write('packages/kit/src/index.ts', 'export const kit = 1;\n');
  write('packages/egress/src/index.ts', "export { kit } from '../../kit/src/index.js';\n");
  write('services/api/src/main.ts', "import { kit } from '../../../packages/kit/src/index.js';\nkit;\n");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function run(tool: string, ...args: string[]) {
  const { status, stdout } = spawnSync(join(repository, 'node_modules/.bin', tool), args, {
    cwd: root,
    encoding: 'utf8',
    // By default, oxlint searches for its type checker in the current folder. The repository of the test does not
    // contain one, so OXLINT_TSGOLINT_PATH names the installed one.
    env: { ...process.env, OXLINT_TSGOLINT_PATH: join(repository, 'node_modules/.bin/tsgolint') },
  });
  return { status, stdout };
}

const checkImports = () => run('depcruise', '--config', configuration, 'packages', 'services');

test('a service may import packages, and a package may import `kit`', () => {
  expect(checkImports()).toMatchObject({ status: 0 });
});

/** For each rule, a file and another file that it must not import. */
const violations: Record<string, [importing: string, imported: string]> = {
  'no-import-cycles': ['packages/kit/src/a', 'packages/kit/src/b'],
  'kit-imports-no-package': ['packages/kit/src/c', 'packages/egress/src/index'],
  'contracts-imports-only-kit': ['packages/contracts/src/c', 'packages/egress/src/index'],
  'packages-import-no-service': ['packages/egress/src/c', 'services/api/src/main'],
  'no-service-imports-another': ['services/auth/src/c', 'services/api/src/main'],
  'only-tools-import-infra': ['services/api/src/c', 'infra/local/src/index'],
  'packages-are-entered-through-their-exports': ['services/api/src/c', 'packages/egress/src/d'],
  'test-helpers-stay-in-tests': ['services/api/src/c', 'packages/testing/src/index'],
  'every-import-resolves': ['packages/kit/src/c', 'packages/kit/src/missing'],
};

test('each rule for imports has a violation that is tested', () => {
  const { forbidden }: { forbidden: { name: string }[] } = createRequire(import.meta.url)(configuration);
  expect(Object.keys(violations)).toEqual(forbidden.map(({ name }) => name));
});

test.each(Object.entries(violations))(
  'the rule %s reports an import that violates it',
  (rule, [importing, imported]) => {
    write('packages/kit/src/b.ts', "import './a.js';\n");
    write('packages/kit/src/a.ts', 'export const a = 1;\n');
    write('packages/egress/src/d.ts', 'export const d = 1;\n');
    write('packages/testing/src/index.ts', 'export const testing = 1;\n');
    write('infra/local/src/index.ts', 'export const local = 1;\n');
    write(`${importing}.ts`, `import './${relative(dirname(importing), imported)}.js';\n`);
    const { status, stdout } = checkImports();
    expect(status).not.toBe(0);
    expect(stdout).toContain(`error ${rule}`);
  },
);

test('a floating promise is reported, even if the called function is in another file', () => {
  write(
    'tsconfig.json',
    '{ "compilerOptions": { "module": "nodenext", "target": "es2023", "strict": true } }',
  );
  write('a.ts', 'export async function work(): Promise<void> {}\n');
  write('b.ts', "import { work } from './a.js';\nvoid work();\n");
  const lint = () => run('oxlint', '--config', join(repository, '.oxlintrc.json'), '--type-aware', '.');
  expect(lint()).toMatchObject({ status: 0 });
  write('b.ts', "import { work } from './a.js';\nwork();\n");
  expect(lint()).toMatchObject({ status: 1, stdout: expect.stringContaining('no-floating-promises') });
});
