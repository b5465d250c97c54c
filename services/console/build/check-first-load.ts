import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Limit in bytes for the compressed scripts that a browser loads for the overview page. */
const limitBytes = 200_000;

/**
 * Fails the build if the scripts that the overview page loads (its entry scripts and all their static imports) are
 * larger than the limit. Their sizes after gzip compression are counted.
 */
export function checkFirstLoad(): Plugin {
  return {
    name: 'check-first-load',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const loaded = new Set<string>();
      const load = (fileName: string) => {
        if (loaded.has(fileName)) return;
        loaded.add(fileName);
        chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(load);
      };
      for (const { isEntry, facadeModuleId, fileName } of chunks)
        if (isEntry || facadeModuleId?.endsWith('/overview/index.ts')) load(fileName);
      const bytes = chunks
        .filter(({ fileName }) => loaded.has(fileName))
        .reduce((sum, { code }) => sum + gzipSync(code).length, 0);
      if (bytes > limitBytes)
        this.error(`The first load is ${bytes} bytes of compressed script, above ${limitBytes}.`);
      this.info(`first load: ${(bytes / 1000).toFixed(0)} KB of compressed script`);
    },
  };
}
