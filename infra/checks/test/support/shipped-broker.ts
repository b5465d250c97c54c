import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProcessHost, ensureRabbitmqInstalled, findFreePorts, prepareNodeFiles } from '@tocsin/local';
import { makeDeployment } from './variables.js';

const settings = fileURLToPath(new URL('../../../rabbitmq', import.meta.url));
const definitions = '/etc/tocsin/definitions.json';

export interface ShippedBroker {
  url: string;
  metricsUrl: string;
  /** Rejects with the last lines of the log if the broker exits. */
  failed: Promise<never>;
  /** Runs a command, for example `rabbitmqctl …`. Throws if it fails. */
  command(words: readonly string[]): string;
  /** Returns the last 200 lines of the log. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts an empty broker with the settings, plugins and user of the compose file. Ports and node name differ. The
 * broker may not be ready yet when the promise resolves.
 */
export async function startShippedBroker(): Promise<ShippedBroker> {
  const processes = createProcessHost();
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-broker-'));
  processes.removeAtEnd(directory);
  const logFile = join(directory, 'broker.log');
  const installed = ensureRabbitmqInstalled(logFile, console.log);
  const [amqp = 0, epmd = 0, distribution = 0, metrics = 0] = await findFreePorts(4);
  const files = prepareNodeFiles(directory, { amqp, epmd, distribution }, { installed });
  const { secrets } = makeDeployment();
  const own = [`listeners.tcp.1 = 127.0.0.1:${amqp}`, `prometheus.tcp.port = ${metrics}`];
  writeFileSync(join(directory, 'rabbitmq.conf'), [...own, secrets.rabbitmq_user, ''].join('\n'));
  const nodeEnv = {
    ...files.env,
    RABBITMQ_CONFIG_FILES: join(settings, '*.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(settings, 'enabled_plugins'),
  };
  const shared = { cwd: directory, logFile, env: nodeEnv };
  const epmdArgs = ['-port', String(epmd), '-address', '127.0.0.1'];
  await processes.start({ ...shared, name: 'epmd', command: installed.epmd, args: epmdArgs });
  const node = await processes.start({ ...shared, name: 'rabbitmq', command: installed.server, args: [] });
  return {
    url: Object.assign(new URL(secrets.amqp_url ?? ''), { hostname: '127.0.0.1', port: String(amqp) }).href,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    command: ([name = '', ...words]) =>
      execFileSync(join(dirname(installed.server), name), words.map(onThisMachine), {
        env: nodeEnv,
        encoding: 'utf8',
      }),
    log: () => node.logTail(200),
    failed: node.exited.then(() => {
      throw new Error(`The broker has ended:\n${node.logTail(60)}`);
    }),
    stop: async () => {
      await processes.killAll();
      processes.close();
    },
  };
}

function onThisMachine(word: string): string {
  if (word === 'rabbit@rabbitmq') return 'tocsin@localhost';
  return word === definitions ? join(settings, 'definitions.json') : word;
}
