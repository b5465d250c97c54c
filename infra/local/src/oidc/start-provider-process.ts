import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, type ProcessHost, signalQuietly } from '../processes/process-host.js';
import { fetchOk, waitUntil, waitUntilReady } from '../processes/wait-until.js';
import type { ProviderOptions } from './start-provider.js';

export interface ProviderProcessOptions {
  processes: ProcessHost;
  /** Directory for settings and signing keys. It is created if it is missing. */
  directory: string;
  logFile: string;
  settings: Omit<ProviderOptions, 'signingKeys'>;
}

export interface RunningProviderProcess {
  child: Child;
  /** URL of the issuer: `http://127.0.0.1:{port}/realms/{realm}`. */
  url: string;
  /** Resolves when the new key is published and used. Old keys stay published. */
  rotateKeys(): Promise<void>;
}

/** Starts the provider in a separate process. Resolves when it serves its keys. */
export async function startProviderProcess(options: ProviderProcessOptions): Promise<RunningProviderProcess> {
  const { processes, directory, logFile, settings } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const settingsFile = join(directory, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  // The child process runs the built file, even if this module runs from its source (in tests).
  const main = fileURLToPath(new URL('../../dist/oidc/main.js', import.meta.url));
  const child = await processes.start({
    name: 'oidc',
    command: process.execPath,
    args: [main, settingsFile, join(directory, 'signing-keys.json')],
    env: { PATH: process.env.PATH },
    logFile,
  });
  const issuer = `http://127.0.0.1:${settings.port}/realms/${settings.realm}`;
  const probe = () => fetchOk(`${issuer}/protocol/openid-connect/certs`);
  await waitUntilReady(child, probe, { what: 'the OpenID provider', timeoutMs: 30_000 });
  return {
    child,
    url: issuer,
    async rotateKeys() {
      const before = await fetchKeys(issuer);
      signalQuietly(child.pid, 'SIGHUP');
      await waitUntil(() => requireOther(issuer, before), {
        what: 'new signing keys',
        timeoutMs: 10_000,
        child,
      });
    },
  };
}

async function requireOther(issuer: string, before: string): Promise<void> {
  if ((await fetchKeys(issuer)) === before) throw new Error('the keys have not changed');
}

async function fetchKeys(issuer: string): Promise<string> {
  return (await fetch(`${issuer}/protocol/openid-connect/certs`)).text();
}
