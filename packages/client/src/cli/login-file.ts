import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TokenStore } from '../sessions/token-store.js';
import type { Tokens } from '../sessions/tokens.js';

/** A login with its addresses, so that later commands need no flags. */
export interface SavedLogin {
  issuer: string;
  clientId: string;
  apiUrl?: string | undefined;
  engineUrl?: string | undefined;
  workspaceId?: string | undefined;
  tokens?: Tokens | undefined;
}

/** `$TOCSIN_LOGIN_FILE`, or `tocsin/login.json` under `$XDG_CONFIG_HOME` or `~/.config`. */
export function loginFilePath(env: NodeJS.ProcessEnv): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return env.TOCSIN_LOGIN_FILE || join(config, 'tocsin', 'login.json');
}

/** Undefined without a file, or for a file of another version. */
export async function readLogin(file: string): Promise<SavedLogin | undefined> {
  try {
    const saved: unknown = JSON.parse(await readFile(file, 'utf8'));
    const usable = typeof saved === 'object' && saved !== null && 'issuer' in saved && 'clientId' in saved;
    return usable ? (saved as SavedLogin) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Atomic write; only the owner can read the file. */
async function writeLogin(file: string, login: SavedLogin): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}

/** Token store in `file`. A lock makes concurrent commands change it one after the other. */
export function createFileTokenStore(file: string, login: Omit<SavedLogin, 'tokens'>): TokenStore {
  return {
    update: (change) =>
      withLock(`${file}.lock`, async () => {
        const saved = await readLogin(file);
        const own = saved?.issuer === login.issuer && saved.clientId === login.clientId ? saved : undefined;
        const tokens = await change(own?.tokens);
        if (tokens === own?.tokens) return tokens;
        if (tokens === undefined) await rm(file, { force: true });
        else await writeLogin(file, { ...own, ...withoutUndefined(login), tokens });
        return tokens;
      }),
  };
}

function withoutUndefined(login: Omit<SavedLogin, 'tokens'>): Omit<SavedLogin, 'tokens'> {
  return Object.fromEntries(Object.entries(login).filter(([, value]) => value !== undefined)) as typeof login;
}

const retryMs = 50;
/** A refresh takes less than this. An older lock belongs to a process that was killed. */
const staleMs = 60_000;

async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  while (!(await tryLock(lock))) {
    await removeIfStale(lock);
    await delay(retryMs);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfStale(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > staleMs) await rm(lock, { force: true });
}
