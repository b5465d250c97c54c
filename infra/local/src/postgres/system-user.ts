import { execFileSync, spawnSync } from 'node:child_process';

/** System user that runs PostgreSQL, because PostgreSQL refuses to run as root. */
export interface SystemUser {
  uid: number;
  gid: number;
}

const userName = 'tocsin-postgres';

/**
 * Returns the system user that must run PostgreSQL, and creates it if it is missing. Returns undefined if this process
 * does not run as root, because PostgreSQL then runs as the current user.
 */
export function getPostgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return lookUp() ?? create();
}

function create(): SystemUser {
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', userName]],
    ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', userName]],
  ];
  const failures: string[] = [];
  for (const [command, args] of attempts) {
    const { error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    // An error is ignored if the user now exists: another process, for example a second `npm start`, may have created
    // it at the same time.
    const user = lookUp();
    if (user !== undefined) return user;
    failures.push(`${command}: ${error?.message ?? stderr.trim()}`);
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the system user ${userName} could not be made (${failures.join('; ')})`,
  );
}

function lookUp(): SystemUser | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, userName], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}
