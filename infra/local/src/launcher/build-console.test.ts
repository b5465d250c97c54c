import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { consoleSources } from './build-console.js';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns the relative imports that leave the folder of the console, from the root of the repository. */
function importsOf(file: string): string[] {
  const folder = new URL('./', `file:///services/console/src/${file}`);
  const text = readFileSync(`${repository}services/console/src/${file}`, 'utf8');
  const paths = [...text.matchAll(/'(\.\.?\/[^']*)'/g)].map(
    ([, path = '']) => new URL(path, folder).pathname,
  );
  return paths.map((path) => path.slice(1)).filter((path) => !path.startsWith('services/console/'));
}

/** Returns the folders of our packages that the console needs at run time, directly or through others. */
function packagesOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(`${repository}${folder}/package.json`, 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const own = Object.keys(dependencies).filter((name) => name.startsWith('@tocsin/'));
  const folders = own.map((name) => name.replace('@tocsin/', 'packages/'));
  return folders.flatMap((one) => [one, ...packagesOf(one)]);
}

test('the console is rebuilt after a change of any package or file that it imports', () => {
  const files = readdirSync(`${repository}services/console/src`, { recursive: true, encoding: 'utf8' });
  const imports = files.filter((file) => /\.tsx?$/.test(file)).flatMap(importsOf);
  expect(imports).toContain('docs/templates/*.j2');
  const needed = [...packagesOf('services/console').map((folder) => `${folder}/src/`), ...imports];
  const isWatched = (path: string) => consoleSources.some((source) => path.startsWith(`${source}/`));
  expect(needed.filter((path) => !isWatched(path))).toEqual([]);
});
