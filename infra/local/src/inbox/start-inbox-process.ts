import { fileURLToPath } from 'node:url';
import type { Child, ProcessHost } from '../processes/process-host.js';
import { fetchOk, waitUntilReady } from '../processes/wait-until.js';

/** Starts the inbox in a separate process. Resolves when it responds. */
export async function startInboxProcess(
  processes: ProcessHost,
  port: number,
  logFile: string,
): Promise<Child> {
  const child = await processes.start({
    name: 'inbox',
    command: process.execPath,
    args: [fileURLToPath(new URL('../../dist/inbox/main.js', import.meta.url)), String(port)],
    env: { PATH: process.env.PATH },
    logFile,
  });
  const probe = () => fetchOk(`http://127.0.0.1:${port}/requests`);
  await waitUntilReady(child, probe, { what: 'the inbox', timeoutMs: 30_000 });
  return child;
}
