import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';

/**
 * Builds `dist/bundle/`: the client and the packages of this repository that it imports, because those packages are not
 * published. Packages listed in `dependencies` are not bundled.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

rmSync(join(root, 'dist/bundle'), { recursive: true, force: true });
const common = {
  absWorkingDir: root,
  outdir: 'dist/bundle',
  bundle: true,
  format: 'esm' as const,
  conditions: ['tocsin-source'],
  logLevel: 'warning',
} satisfies BuildOptions;
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: { index: 'src/index.ts', tocsin: 'src/cli/main.ts' },
  splitting: true,
  platform: 'node',
  target: 'node20',
  external: Object.keys(dependencies),
  // ES modules have no `require`, but the bundled CommonJS packages load Node's modules with it.
  banner: {
    js: "import { createRequire as tocsinRequire } from 'node:module';\nconst require = tocsinRequire(import.meta.url);",
  },
});
await build({ ...common, entryPoints: ['src/browser.ts'], platform: 'browser', target: 'es2023' });
copyFileSync(join(root, '../../LICENSE'), join(root, 'dist/bundle/LICENSE'));
writeFileSync(join(root, 'dist/bundle', 'THIRD-PARTY-LICENSES.txt'), licensesOf(metafile));

/** Returns the licences of the packages whose code is in the bundle for Node. */
function licensesOf({ inputs }: Metafile): string {
  const packages = new Set(
    Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...packages].sort().map(licenseOf).join('\n');
}

function licenseOf(directory: string): string {
  const path = join(root, directory);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const text = readLicense(path) ?? `Licensed under ${license}.\n`;
  return `--- ${name} ${version} (${license})\n\n${text}`;
}

function readLicense(directory: string): string | undefined {
  for (const file of ['LICENSE', 'LICENSE.md', 'license']) {
    try {
      return readFileSync(join(directory, file), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
