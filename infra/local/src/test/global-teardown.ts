import { rmSync } from 'node:fs';
import { takeTestParts } from './test-parts.js';

/** Kills the servers without a clean shutdown: their data is not needed again. */
export default async function globalTeardown(): Promise<void> {
  const parts = takeTestParts();
  if (parts === undefined) return;
  await parts.processes.killAll();
  // Child processes of PostgreSQL notice its end a moment later and may still write.
  rmSync(parts.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  parts.processes.close();
}
