import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

// Replaces each given test file with a bundle of the test and all modules that it imports: node bundle-tests.js FILE…
// Jest loads all modules again for each mutant. Without bundles, loading takes ten times as long as the tests, because
// a test that imports @tocsin/kit also loads Express.

const compiledPackages = ['bcrypt', 'fs-native-extensions', 'pg-native'];
/**
 * Packages that Knex imports for other databases and for streams. They are not installed, so esbuild cannot add them to
 * the bundles.
 */
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

/** Replaces `import.meta.url` by the URL of the original module, because modules read files by paths relative to it. */
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
  // ES modules have no `require`. The banner defines it, because bundled CommonJS modules load the modules of Node.js
  // with it.
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
