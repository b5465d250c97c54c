import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliOptions, type CliResult, cli } from './cli.js';
import { startServices } from './services.js';

export interface Named {
  id: string;
  name: string;
}

type Services = Awaited<ReturnType<typeof startServices>>;

interface CliStack {
  /** The services of the stack. They are undefined until `beforeAll` has started them, so only tests may read them. */
  readonly services: Services;
  workspace: string;
  /** Path of a temporary directory, which is deleted after the tests. */
  directory: string;
  /** Environment variables with which `run` runs the command. */
  env: Record<string, string>;
  /** Runs the command with the settings of the stack. */
  run(words: string[], options?: CliOptions): Promise<CliResult>;
  /** Runs the command with `--json` and returns its parsed output. Rejects if the command fails. */
  runJson<T>(words: string[], options?: CliOptions): Promise<T>;
  createWebhook(name: string, ...more: string[]): Promise<Named>;
}

const workspace = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';

/** Starts the services before all tests of a file and stops them after the tests. */
export function useCliStack(): CliStack {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-cli-'));
  const file = join(directory, 'stack.json');
  const env = { TOCSIN_STACK: file, TOCSIN_LOGIN_FILE: join(directory, 'none') };
  let services: Services;
  beforeAll(async () => {
    services = await startServices();
    writeStackFile(file, services);
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await services.close();
  });

  const run = (words: string[], options: CliOptions = {}) =>
    cli(words, { ...options, env: { ...env, ...options.env } });
  async function runJson<T>(words: string[], options?: CliOptions): Promise<T> {
    const { code, stdout, stderr } = await run([...words, '--json'], options);
    if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
    return JSON.parse(stdout) as T;
  }
  const url = 'http://127.0.0.1:9/';
  return {
    get services() {
      return services;
    },
    workspace,
    directory,
    env,
    run,
    runJson,
    createWebhook: (name, ...more) =>
      runJson(['webhooks', 'create', '--name', name, '--url', url, '--body', '{}', ...more]),
  };
}

/** Writes a stack file for the services, in the format of the file that `npm start` writes. */
function writeStackFile(file: string, { apiUrl, engineUrl, engineAdminKey }: Services): void {
  const [auth_url, realm] = (process.env.TOCSIN_TEST_OIDC_ISSUER ?? '').split('/realms/');
  const settings = {
    api_url: apiUrl,
    engine_url: engineUrl,
    auth_url,
    realm,
    workspace_id: workspace,
    clients: JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}'),
    device_client_id: 'tocsin-cli',
    engine_admin_key: engineAdminKey,
  };
  writeFileSync(file, JSON.stringify(settings));
}
