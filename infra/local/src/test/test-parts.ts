import type { ProcessHost } from '../processes/process-host.js';

export interface TestParts {
  processes: ProcessHost;
  directory: string;
}

// Jest loads setup and teardown in separate module registries, which share only global objects.
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
