import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { waitUntil } from '../processes/wait-until.js';
import type { ProviderOptions } from './start-provider.js';

export interface ProviderProcessOptions {
  processes: ProcessHost;
  /** Keeps its settings and its signing keys; made when missing. */
  directory: string;
  logFile: string;
  settings: Omit<ProviderOptions, 'signingKeys'>;
}

/** The provider in a process of its own, so that neither takes the other down. Resolves, with the issuer's URL, when it serves its keys. */
export async function startProviderProcess(
  options: ProviderProcessOptions,
): Promise<{ child: Child; url: string }> {
  const { processes, directory, logFile, settings } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const settingsFile = join(directory, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  const child = await processes.start({
    name: 'oidc',
    command: process.execPath,
    args: [
      fileURLToPath(new URL('./main.js', import.meta.url)),
      settingsFile,
      join(directory, 'signing-keys.json'),
    ],
    env: { PATH: process.env.PATH },
    logFile,
  });
  const issuer = `http://127.0.0.1:${settings.port}/realms/${settings.realm}`;
  try {
    await waitUntil(() => fetchOk(`${issuer}/protocol/openid-connect/certs`), {
      what: 'the OpenID provider',
      timeoutMs: 30_000,
      child,
    });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { child, url: issuer };
}

/** Throws unless a GET of `url` answers 2xx within 2 s. */
export async function fetchOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
