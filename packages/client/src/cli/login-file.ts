import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { withFileLock, withoutUndefined } from '@tocsin/kit';
import type { TokenStore } from '../sessions/token-store.js';
import type { Tokens } from '../sessions/tokens.js';

/** A login with the addresses of its services, so that later commands need no address flags. */
export interface SavedLogin {
  issuer: string;
  clientId: string;
  apiUrl?: string | undefined;
  engineUrl?: string | undefined;
  workspaceId?: string | undefined;
  tokens?: Tokens | undefined;
}

/**
 * Returns the path of the login file: `$TOCSIN_LOGIN_FILE` if it is set, otherwise `tocsin/login.json` in the directory
 * `$XDG_CONFIG_HOME` (default: `~/.config`).
 */
export function loginFilePath(env: NodeJS.ProcessEnv): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return env.TOCSIN_LOGIN_FILE || join(config, 'tocsin', 'login.json');
}

/**
 * Returns the stored login, or undefined if the file does not exist or has no issuer and client id.
 */
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

/** Replaces the file atomically. Only its owner can read it. */
async function writeLogin(file: string, login: SavedLogin): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}

/** Deletes the addresses of a login whose tokens are deleted. A later login by another command is kept. */
export function deleteEndedLogin(file: string): Promise<void> {
  return withFileLock(`${file}.lock`, async () => {
    const login = await readLogin(file);
    if (login !== undefined && login.tokens === undefined) await rm(file, { force: true });
  });
}

/**
 * Creates a token store in `file`. A file lock ensures that only one command at a time changes the login. After the end
 * of a login the file keeps the addresses, so that the next login needs no options.
 */
export function createFileTokenStore(file: string, login: Omit<SavedLogin, 'tokens'>): TokenStore {
  return {
    async update(change) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      return withFileLock(`${file}.lock`, async () => {
        const saved = await readLogin(file);
        const own = saved?.issuer === login.issuer && saved.clientId === login.clientId ? saved : undefined;
        const tokens = await change(own?.tokens);
        if (tokens === own?.tokens) return tokens;
        await writeLogin(file, { ...own, ...withoutUndefined(login), tokens });
        return tokens;
      });
    },
  };
}
