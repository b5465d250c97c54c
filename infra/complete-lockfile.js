/**
 * Adds the optional packages of other platforms to package-lock.json. npm omits those that the registry in use does not
 * serve, and `npm ci` then refuses the lock file on every machine. Run this after `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {}, dev, peer }]) =>
  Object.entries(optionalDependencies)
    .filter(
      ([name]) =>
        !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
    )
    .map(([name, version]) => [
      name,
      { version, ...platformOf(name), ...(dev && { dev }), ...(peer && { peer }), optional: true },
    ]),
);
for (const [name, entry] of missing) lock.packages[`node_modules/${name}`] = entry;
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`Added ${missing.length} packages of other platforms.\n`);

/** Package names end with the platform: `…-darwin-arm64`, `…-linux-x64-musl`, `…-win32-x64-msvc`. */
function platformOf(name) {
  const match =
    /(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|aix|win32|windows)-(\w+)(?:-(\w+))?$/.exec(
      name,
    );
  if (match === null) return { os: ['none'] };
  const [, os, cpu, libc] = match;
  return {
    os: [os === 'windows' ? 'win32' : os],
    cpu: [cpu === 'wasm32' ? 'wasm32' : cpu],
    ...(/^(musl|gnu)/.test(libc ?? '') && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
  };
}
