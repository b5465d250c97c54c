import type { ProcessHost } from '../processes/process-host.js';

export interface TestParts {
  processes: ProcessHost;
  directory: string;
}

// Jest loads set-up and tear-down as modules of their own; the process is what they share.
const key = Symbol.for('tocsin.test-parts');
const shared = globalThis as { [key]?: TestParts };

export function rememberTestParts(parts: TestParts): void {
  shared[key] = parts;
}

export function takeTestParts(): TestParts | undefined {
  const parts = shared[key];
  delete shared[key];
  return parts;
}
