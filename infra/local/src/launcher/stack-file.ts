import { rmSync } from 'node:fs';
import type { RoleName } from '../oidc/directory.js';
import { writePrivately } from './state.js';

interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/** `.tocsin/stack.json`: where everything is, for scripts. Zero is the id of a part that is not ours. */
export interface StackFile {
  api_url: string;
  engine_url: string;
  auth_url: string;
  realm: string;
  inbox_url: string;
  amqp_url: string;
  database_url: string;
  engine_admin_key: string;
  workspace_id: string;
  other_workspace_id: string;
  /** Empty when OIDC_ISSUER names somebody else's provider. */
  clients: Partial<Record<RoleName, ClientCredentials>>;
  device_client_id: string;
  console_client_id: string;
  users: Record<string, string>;
  pids: {
    'webhook-api': number;
    'engine-auth': number;
    'delivery-worker': number[];
    postgres: number;
    rabbitmq: number;
  };
}

export function writeStackFile(file: string, content: StackFile): void {
  writePrivately(file, `${JSON.stringify(content, null, 2)}\n`);
}

export function removeStackFile(file: string): void {
  rmSync(file, { force: true });
}
