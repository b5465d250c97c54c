import { spawnSync } from 'node:child_process';

/**
 * Registers a test that needs an external tool. If the tool is missing, no test is registered, and a warning names the
 * test. `command` must succeed if the tool is installed.
 */
export function testWith([command, ...args]: [string, ...string[]], name: string, run: () => void): void {
  if (spawnSync(command, args).status === 0) test(name, run, 120_000);
  else
    console.warn(
      `\`${[command, ...args].join(' ')}\` failed, so this was not tested: ${name}. CONTRIBUTING.md lists the tools.`,
    );
}
