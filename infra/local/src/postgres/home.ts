import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SystemUser } from './system-user.js';

// Directory for the data if PostgreSQL's user cannot enter the checkout, for example a checkout in /root.
const outsideRoot = '/var/lib/tocsin';

/**
 * Returns the directory for data, password and copied binaries of PostgreSQL. The result is `wanted` if `user` can
 * enter it. Otherwise it is a directory below /var/lib/tocsin, and `wanted` becomes a symbolic link to it.
 */
export function prepareHome(wanted: string, user: SystemUser | undefined): string {
  const parent = dirname(wanted);
  mkdirSync(parent, { recursive: true });
  if (user === undefined || canEnter(parent, user)) {
    mkdirSync(wanted, { recursive: true, mode: 0o711 });
    chmodSync(wanted, 0o711);
    return wanted;
  }
  const outside = outsideOf(wanted);
  // If `wanted` is not a link to `outside`, any data in `outside` belongs to a deleted state directory and is removed.
  if (!isLinkTo(wanted, outside)) rmSync(outside, { recursive: true, force: true });
  mkdirSync(outside, { recursive: true, mode: 0o711 });
  chmodSync(outsideRoot, 0o711);
  chmodSync(outside, 0o711);
  linkTo(outside, wanted);
  return outside;
}

/**
 * Makes `wanted` a link to `outside`. The name of `outside` depends on the path of the checkout. After a move of the
 * checkout, `wanted` is therefore a link to the directory of the old path, and is replaced. The data starts empty, and
 * the old directory is kept.
 */
export function linkTo(outside: string, wanted: string): void {
  if (isLinkTo(wanted, outside)) return;
  if (isLink(wanted)) rmSync(wanted);
  symlinkSync(outside, wanted);
}

/** Removes the directory. If `prepareHome` has chosen a directory below /var/lib/tocsin, removes that one too. */
export function removeHome(wanted: string): void {
  const outside = outsideOf(wanted);
  if (existsSync(outside)) rmSync(outside, { recursive: true, force: true });
  rmSync(wanted, { recursive: true, force: true });
}

function outsideOf(wanted: string): string {
  return join(outsideRoot, createHash('sha256').update(wanted).digest('hex').slice(0, 16));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isLinkTo(path: string, target: string): boolean {
  return isLink(path) && readlinkSync(path) === target;
}

function canEnter(directory: string, user: SystemUser): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, stdio: 'ignore', cwd: '/' })
      .status === 0
  );
}
