import { spawnSync } from 'node:child_process';

/**
 * Test that needs an external tool. Without the tool the test does not exist, and a line of output says what was not
 * checked. `tool` is a command that succeeds if the tool is installed.
 */
export function testWith([command, ...args]: [string, ...string[]], name: string, run: () => void): void {
  if (spawnSync(command, args).status === 0) test(name, run, 120_000);
  else console.warn(`Not tried, for \`${[command, ...args].join(' ')}\` does not run here: ${name}.`);
}
