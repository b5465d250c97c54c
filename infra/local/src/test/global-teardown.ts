import { rmSync } from 'node:fs';
import { takeTestParts } from './test-parts.js';

/** Kills the servers without a clean shutdown, because their data is no longer needed. */
export default async function globalTeardown(): Promise<void> {
  const parts = takeTestParts();
  if (parts === undefined) return;
  await parts.processes.killAll();
  // Child processes of PostgreSQL can still write for a short time after it was killed, so the removal is retried.
  rmSync(parts.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  parts.processes.close();
}
