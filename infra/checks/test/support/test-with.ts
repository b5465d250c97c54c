import { spawnSync } from 'node:child_process';

/**
 * A test by a tool that is no part of this repository. Where the tool does not run nothing is claimed: there is no such
 * test, and a line tells what was not tried. `tool` is a command that succeeds where it does.
 */
export function testWith([command, ...args]: [string, ...string[]], name: string, run: () => void): void {
  if (spawnSync(command, args).status === 0) test(name, run, 120_000);
  else console.warn(`Not tried, for \`${[command, ...args].join(' ')}\` does not run here: ${name}.`);
}
