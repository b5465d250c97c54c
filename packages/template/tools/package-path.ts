import { fileURLToPath } from 'node:url';

/** Returns the path of a file of this package, for modules that run from `tools/` (in tests) or from `tools/dist/`. */
export function packagePath(path: string): string {
  const root = import.meta.url.includes('/tools/dist/') ? '../../' : '../';
  return fileURLToPath(new URL(root + path, import.meta.url));
}
