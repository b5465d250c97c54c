import { rmSync } from 'node:fs';
import { takeTestParts } from './test-parts.js';

/** Nothing of it is needed again, so nothing is asked to close properly. */
export default async function globalTeardown(): Promise<void> {
  const parts = takeTestParts();
  if (parts === undefined) return;
  await parts.processes.killAll();
  // PostgreSQL's own children notice a moment later that it is gone, and may still write.
  rmSync(parts.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  parts.processes.close();
}
