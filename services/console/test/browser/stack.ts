import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClientCredentialsSession, createPlatformClient, type PlatformClient } from '@tocsin/client';
import { createProcessHost, findFreePorts } from '@tocsin/local';

/** Members of `stack.json` that the tests use. */
interface StackFile {
  api_url: string;
  auth_url: string;
  realm: string;
  inbox_url: string;
  amqp_url: string;
  console_client_id: string;
  workspace_id: string;
  clients: Record<string, { client_id: string; client_secret: string }>;
  users: Record<string, string>;
}

export interface BrowserStack extends StackFile {
  /** API client with the role admin, with which tests prepare data. */
  api: PlatformClient;
  stop(): Promise<void>;
}

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const startTimeoutMs = 120_000;
/**
 * Setting `MAX_OPEN_PER_WEBHOOK` of the stack. It is low, so that the deliveries of a few alerts are enough to make
 * jobs wait.
 */
export const maxOpenPerWebhook = 40;

/**
 * Runs `npm start` on free ports with a separate state directory. The stack ends when this process ends, even if the
 * process is killed.
 */
export async function startBrowserStack(): Promise<BrowserStack> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-browser-'));
  // If this process runs as root, PostgreSQL runs as another user, who needs access to this directory.
  chmodSync(directory, 0o711);
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  const [portBase] = await findFreePorts(1);
  const launcher = await processes.start({
    name: 'npm start',
    command: process.execPath,
    args: [join(repository, 'infra/local/dist/start.js'), '--no-sample'],
    env: {
      PATH: process.env.PATH,
      TOCSIN_STATE: join(directory, 'state'),
      PORT_BASE: String(portBase),
      // The console renews a token when it expires within 30 s. With a lifetime of 45 s, a token is therefore renewed
      // about every 15 s during the tests.
      ACCESS_TOKEN_TTL_SECONDS: '45',
      MAX_OPEN_PER_WEBHOOK: String(maxOpenPerWebhook),
    },
    cwd: repository,
    logFile: join(directory, 'launcher.log'),
  });
  const file = join(directory, 'state', 'stack.json');
  const giveUpAt = Date.now() + startTimeoutMs;
  let hasExited = false;
  void launcher.exited.then(() => {
    hasExited = true;
  });
  while (!existsSync(file)) {
    if (hasExited || Date.now() > giveUpAt)
      throw new Error(`The stack did not start:\n${launcher.logTail(30)}`);
    await delay(100);
  }
  const stack = JSON.parse(readFileSync(file, 'utf8')) as StackFile;
  return {
    ...stack,
    api: createApi(stack),
    async stop() {
      await launcher.stop();
      processes.close();
    },
  };
}

function createApi({ api_url, auth_url, realm, clients, workspace_id }: StackFile): PlatformClient {
  const { client_id, client_secret } = clients.admin!;
  const session = new ClientCredentialsSession({
    issuer: `${auth_url}/realms/${realm}`,
    clientId: client_id,
    clientSecret: client_secret,
  });
  return createPlatformClient({ url: api_url, credential: session, workspaceId: workspace_id });
}
