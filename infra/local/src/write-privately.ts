import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically with mode 600, so that readers see either the old or the new content. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}
