import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

// Replaces test files by bundles of themselves and all modules that they import: node bundle-tests.js FILE…
//
// Jest loads the modules again for each mutant. In separate files this takes ten times as long as the tests: a test that
// imports @tocsin/kit loads Express too.

const compiledPackages = ['bcrypt', 'fs-native-extensions', 'pg-native'];
/** Packages that Knex imports for other databases and for streams. They are not installed. */
const otherDrivers = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

/** Keeps `import.meta.url` of each module, because modules read files by a path relative to their own. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

await build({
  entryPoints: process.argv.slice(2),
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['tocsin-source'],
  // CommonJS modules call `require` for the modules of Node.js.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  external: [...compiledPackages, ...otherDrivers],
  plugins: [ownUrls],
  outdir: '.',
  outbase: '.',
  outExtension: { '.js': '.ts' },
  allowOverwrite: true,
  logLevel: 'warning',
});
