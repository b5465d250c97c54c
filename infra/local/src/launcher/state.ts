import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeAccounts } from '../oidc/accounts.js';
import { writePrivately } from '../write-privately.js';

/** Random secrets and ids. They are generated at the first start and stored in the state directory. */
export interface Secrets {
  engineAdminKey: string;
  /** Value of SECRETS_KEYS in the format `id:base64 of 32 bytes`. */
  secretsKeys: string;
  workspaceId: string;
  otherWorkspaceId: string;
  people: ReturnType<typeof makeAccounts>;
}

export interface StatePaths {
  root: string;
  lock: string;
  children: string;
  stackFile: string;
  logs: string;
  postgres: string;
  rabbitmq: string;
  oidc: string;
}

export function statePaths(root: string): StatePaths {
  return {
    root,
    lock: join(root, 'launcher.lock'),
    children: join(root, 'children.json'),
    stackFile: join(root, 'stack.json'),
    logs: join(root, 'logs'),
    postgres: join(root, 'postgres'),
    rabbitmq: join(root, 'rabbitmq'),
    oidc: join(root, 'oidc'),
  };
}

/**
 * Creates the state directory with mode 711: PostgreSQL's user must be able to enter the directory, but not to list it.
 */
export function prepareState({ root }: StatePaths): void {
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o711);
}

/** Returns advice for an error about files of another user, or an empty text for other errors. */
export function adviceFor(error: unknown, { root }: StatePaths): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if ((code !== 'EACCES' && code !== 'EPERM') || path?.startsWith(root) !== true) return '';
  return `\n${root} has files of another user, for example after a start with sudo. "sudo npm run reset" deletes it.`;
}

/** Keeps the logs of the previous start and deletes older ones. */
export function rotateLogs({ logs }: StatePaths): void {
  const previous = `${logs}.previous`;
  rmSync(previous, { recursive: true, force: true });
  if (existsSync(logs)) renameSync(logs, previous);
  mkdirSync(logs, { mode: 0o755 });
}

export function readOrMakeSecrets({ root }: StatePaths): Secrets {
  const file = join(root, 'secrets.json');
  if (!existsSync(file)) writePrivately(file, JSON.stringify(makeSecrets(), null, 2));
  return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
}

function makeSecrets(): Secrets {
  const workspaces = { workspaceId: randomUUID(), otherWorkspaceId: randomUUID() };
  return {
    engineAdminKey: randomBytes(32).toString('base64url'),
    secretsKeys: `k1:${randomBytes(32).toString('base64')}`,
    ...workspaces,
    people: makeAccounts(workspaces),
  };
}
