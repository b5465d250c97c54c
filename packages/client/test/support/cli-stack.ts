import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliOptions, type CliResult, cli } from './cli.js';
import { startServices } from './services.js';

export interface Named {
  id: string;
  name: string;
}

interface CliStack {
  services: Awaited<ReturnType<typeof startServices>>;
  workspace: string;
  /** A temporary directory. */
  directory: string;
  /** Environment variables of each run. */
  env: Record<string, string>;
  /** Runs the command with the settings of the stack. */
  run(words: string[], options?: CliOptions): Promise<CliResult>;
  /** Returns the output as JSON. */
  runJson<T>(words: string[], options?: CliOptions): Promise<T>;
  createWebhook(name: string, ...more: string[]): Promise<Named>;
  close(): Promise<void>;
}

/**
 * Starts a stack before all tests of a file and closes it after them. Only tests may read the properties of the result.
 */
export function useCliStack(): Omit<CliStack, 'close'> {
  let stack: CliStack;
  beforeAll(async () => {
    stack = await startCliStack();
  });
  afterAll(() => stack.close());
  return {
    get services() {
      return stack.services;
    },
    get workspace() {
      return stack.workspace;
    },
    get directory() {
      return stack.directory;
    },
    get env() {
      return stack.env;
    },
    run: (words, options) => stack.run(words, options),
    runJson: (words, options) => stack.runJson(words, options),
    createWebhook: (name, ...more) => stack.createWebhook(name, ...more),
  };
}

/** Starts the services, and writes the stack file that the command reads, as `npm start` does. */
async function startCliStack(): Promise<CliStack> {
  const services = await startServices();
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-cli-'));
  const workspace = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';
  const file = join(directory, 'stack.json');
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  const [auth_url, realm] = issuer.split('/realms/');
  const settings = {
    api_url: services.apiUrl,
    engine_url: services.engineUrl,
    auth_url,
    realm,
    workspace_id: workspace,
    clients: JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}'),
    device_client_id: 'tocsin-cli',
    engine_admin_key: services.engineAdminKey,
  };
  writeFileSync(file, JSON.stringify(settings));
  const stack: CliStack = {
    services,
    workspace,
    directory,
    env: { TOCSIN_STACK: file, TOCSIN_LOGIN_FILE: join(directory, 'none') },
    run: (words, options = {}) =>
      cli(words, {
        ...options,
        env: { ...stack.env, ...options.env },
      }),
    async runJson<T>(words: string[], options: CliOptions = {}) {
      const { code, stdout, stderr } = await stack.run([...words, '--json'], options);
      if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    createWebhook: (name, ...more) =>
      stack.runJson<Named>([
        'webhooks',
        'create',
        '--name',
        name,
        '--url',
        'http://127.0.0.1:9/',
        '--body',
        '{}',
        ...more,
      ]),
    async close() {
      rmSync(directory, { recursive: true });
      await services.close();
    },
  };
  return stack;
}
