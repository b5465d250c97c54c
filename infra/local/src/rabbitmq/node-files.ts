import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '../write-privately.js';
import type { InstalledRabbitmq } from './find-rabbitmq.js';

export interface RabbitmqPorts {
  amqp: number;
  epmd: number;
  distribution: number;
}

export interface NodeFiles {
  username: string;
  password: string;
  /** Complete environment of the node. Settings of the system's RabbitMQ are not inherited. */
  env: NodeJS.ProcessEnv;
}

export interface NodeOptions {
  installed: InstalledRabbitmq;
  /** Name of the node. By default `tocsin@localhost`. */
  nodeName?: string | undefined;
  /**
   * File that stores the password of the user and the Erlang cookie. All nodes of a cluster must use the same file. By
   * default, each node has its own file in `directory`.
   */
  secretsFile?: string | undefined;
  virtualHosts?: string[];
  maxMessageBytes?: number | undefined;
  /** Lines that are added to the default configuration of the node. */
  settings?: readonly string[];
}

/**
 * Writes the configuration of a private node. The Erlang cookie and the password are generated at the first start and
 * then reused.
 */
export function prepareNodeFiles(
  directory: string,
  ports: RabbitmqPorts,
  { installed, nodeName, secretsFile, virtualHosts = [], ...options }: NodeOptions,
): NodeFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const secrets = readOrMakeNodeSecrets(secretsFile ?? join(directory, 'secrets.json'));
  const cookie = join(directory, '.erlang.cookie');
  writePrivately(cookie, secrets.cookie);
  const definitions = join(directory, 'definitions.json');
  writePrivately(definitions, JSON.stringify(makeDefinitions(secrets, ['/', ...virtualHosts])));
  writePrivately(join(directory, 'rabbitmq.conf'), configuration({ ports, definitions, ...options }));
  writePrivately(join(directory, 'enabled_plugins'), '[].\n');
  writePrivately(join(directory, 'empty-env.conf'), '');
  // This file resolves `localhost` for Erlang, because a minimal container may have no /etc/hosts.
  writePrivately(
    join(directory, 'inetrc'),
    '{host, {127,0,0,1}, ["localhost"]}.\n{lookup, [file, native]}.\n',
  );
  return { ...secrets, env: environment(directory, ports, { installed, nodeName }) };
}

interface NodeSecrets {
  username: string;
  password: string;
  cookie: string;
}

function readOrMakeNodeSecrets(file: string): NodeSecrets {
  if (!existsSync(file)) {
    const secrets: NodeSecrets = {
      username: 'tocsin',
      password: randomBytes(18).toString('base64url'),
      cookie: randomBytes(18).toString('hex'),
    };
    writePrivately(file, JSON.stringify(secrets));
  }
  return JSON.parse(readFileSync(file, 'utf8')) as NodeSecrets;
}

const shipped = (file: string) => readFileSync(new URL(`../../../rabbitmq/${file}`, import.meta.url), 'utf8');

/**
 * Returns definitions with one user, who has all permissions in every virtual host, and with the policies of Tocsin.
 * The user `guest` is not created.
 */
function makeDefinitions({ username, password }: NodeSecrets, virtualHosts: string[]): object {
  const salt = randomBytes(4);
  const { policies } = JSON.parse(shipped('definitions.json')) as { policies: object[] };
  const digest = createHash('sha256').update(salt).update(password).digest();
  return {
    users: [
      {
        name: username,
        password_hash: Buffer.concat([salt, digest]).toString('base64'),
        hashing_algorithm: 'rabbit_password_hashing_sha256',
        tags: 'administrator',
      },
    ],
    vhosts: virtualHosts.map((name) => ({ name })),
    permissions: virtualHosts.map((vhost) => ({
      user: username,
      vhost,
      configure: '.*',
      write: '.*',
      read: '.*',
    })),
    policies: virtualHosts.flatMap((vhost) => policies.map((policy) => ({ ...policy, vhost }))),
  };
}

function configuration({
  ports,
  definitions,
  maxMessageBytes,
  settings = [],
}: Pick<NodeOptions, 'maxMessageBytes' | 'settings'> & {
  ports: RabbitmqPorts;
  definitions: string;
}): string {
  return [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    `load_definitions = ${definitions}`,
    // By default, the limit of infra/rabbitmq/20-tocsin.conf applies, so that messages that are too large for the
    // shipped broker fail here too.
    maxMessageBytes === undefined
      ? (/^max_message_size = .*$/m.exec(shipped('20-tocsin.conf'))?.[0] ?? '')
      : `max_message_size = ${maxMessageBytes}`,
    'log.file = false',
    'log.console = true',
    'log.console.level = info',
    // Quorum queues read their log when the node starts. An eighth of the default size keeps restarts short.
    'raft.wal_max_size_bytes = 67108864',
    ...settings,
    '',
  ].join('\n');
}

function environment(
  directory: string,
  ports: RabbitmqPorts,
  { installed, nodeName = 'tocsin@localhost' }: Pick<NodeOptions, 'installed' | 'nodeName'>,
): NodeJS.ProcessEnv {
  return {
    PATH: installed.path,
    LANG: 'C.UTF-8',
    HOME: directory,
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_CONF_ENV_FILE: join(directory, 'empty-env.conf'),
    ERL_INETRC: join(directory, 'inetrc'),
    // The host name of the machine often cannot be resolved, so the node uses `localhost`.
    RABBITMQ_NODENAME: nodeName,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq.conf'),
    RABBITMQ_CONFIG_FILES: join(directory, 'conf.d'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(directory, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(directory, 'data'),
    RABBITMQ_MNESIA_DIR: join(directory, 'data', 'node'),
    RABBITMQ_FEATURE_FLAGS_FILE: join(directory, 'data', 'feature_flags'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(directory, 'generated'),
    RABBITMQ_SCHEMA_DIR: join(directory, 'schema'),
    RABBITMQ_QUORUM_DIR: join(directory, 'data', 'quorum'),
    RABBITMQ_STREAM_DIR: join(directory, 'data', 'stream'),
    RABBITMQ_PID_FILE: join(directory, 'pid'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
    RABBITMQ_LOGS: '-',
    ERL_CRASH_DUMP: join(directory, 'erl_crash.dump'),
    ERL_CRASH_DUMP_SECONDS: '0',
    // Makes the script replace itself with the Erlang VM, so that signals reach the node.
    RABBITMQ_ALLOW_INPUT: 'true',
    // The schedulers do not busy-wait, because other processes share the cores.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-noinput +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}',
  };
}
