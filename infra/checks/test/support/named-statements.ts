import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

export interface NamedStatement {
  file: string;
  name: string;
  text: string;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Returns the named statements of all packages and services: the top-level constants `{ name, text }` in files that
 * call `prepared`. The constants are not exported, so each file is compiled with an added export.
 * @throws Error if `prepared` is called with anything but such a constant or `ofDay` of such a constant
 */
export async function findStatements(): Promise<NamedStatement[]> {
  const found: NamedStatement[] = [];
  for (const file of sourceFiles()) {
    const source = readFileSync(file, 'utf8');
    const used = [...source.matchAll(/\.prepared(?:<[^(]*>)?\(\s*(?:ofDay\()?(\w+)/g)].map(
      ([, name]) => name!,
    );
    if (used.length === 0) continue;
    const constants = [...source.matchAll(/^const (\w+)(?:: PreparedStatement)? = \{\s*name: /gm)].map(
      ([, name]) => name!,
    );
    const path = relative(root, file);
    for (const name of used) if (!constants.includes(name)) throw new Error(notConstant(path, name));
    for (const statement of await evaluate(file, source, constants)) found.push({ ...statement, file: path });
  }
  return found;
}

function sourceFiles(): string[] {
  return ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      listFiles(join(root, folder, name, 'src')).filter(
        (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
      ),
    ),
  );
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function notConstant(path: string, name: string): string {
  return `${path} calls prepared(${name}, …), and ${name} is no top-level constant { name, text } of the file.`;
}

async function evaluate(
  file: string,
  source: string,
  constants: string[],
): Promise<Pick<NamedStatement, 'name' | 'text'>[]> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${source}\nexport const namedStatements = [${constants.join(', ')}];`,
      loader: 'ts',
      resolveDir: join(file, '..'),
      sourcefile: file,
    },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
    plugins: [dropPackages],
  });
  const encoded = Buffer.from(outputFiles[0]!.contents).toString('base64');
  const compiled = await import(`data:text/javascript;base64,${encoded}`);
  return compiled.namedStatements;
}

/**
 * Replaces imports of npm packages with empty modules, because the text of a statement depends only on our own files.
 */
const dropPackages: Plugin = {
  name: 'drop-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@tocsin\/\w+$/ }, ({ path }) => ({
      path: join(root, path.replace('@tocsin', 'packages'), 'src/index.ts'),
      sideEffects: false,
    }));
    onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, namespace: 'dropped', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'dropped' }, () => ({
      contents: 'module.exports = {};',
      loader: 'js',
    }));
    onResolve({ filter: /^[.].*[.]js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/[.]js$/, '.ts')),
      sideEffects: false,
    }));
  },
};
