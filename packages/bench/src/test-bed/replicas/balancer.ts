import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, findFreePorts } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { Pool } from 'pg';
import type { ServersOptions } from '../servers.js';
import type { BrokerCluster } from './broker-cluster.js';
import { type DatabasePair, query } from './database-pair.js';

/**
 * HAProxy with the configuration file that users get (`infra/high-availability/haproxy.cfg`). Its addresses stay the
 * same when the servers behind it change.
 */
export interface Balancer {
  databaseUrl: string;
  amqpUrl: string;
  stop(): Promise<void>;
}

const debianPackage = {
  name: 'haproxy',
  unitLinks: ['/etc/systemd/system/multi-user.target.wants/haproxy.service'],
};
const inRecovery = 'select pg_is_in_recovery() as standby';
const configuration = fileURLToPath(
  new URL('../../../../../infra/high-availability/haproxy.cfg', import.meta.url),
);

export async function startBalancer(
  { processes, directory, logFile }: ServersOptions,
  { brokers, databases }: { brokers: BrokerCluster; databases: DatabasePair },
): Promise<Balancer> {
  const program = ensureInstalled('/usr/sbin/haproxy', debianPackage, logFile('apt'));
  const [postgresPort = 0, rabbitmqPort = 0] = await findFreePorts(2);
  const checks = await Promise.all(databases.nodes.map(({ url }) => servePrimaryCheck(url)));
  const [check1, check2] = checks;
  const [postgres1, postgres2] = databases.nodes;
  const [rabbitmq1, rabbitmq2, rabbitmq3] = brokers.nodes;
  const child = await processes.start({
    name: 'haproxy',
    command: program,
    args: ['-db', '-f', configuration],
    env: {
      POSTGRES_LISTEN: `127.0.0.1:${postgresPort}`,
      POSTGRES_1: hostOf(postgres1!.url),
      POSTGRES_1_CHECK: String(check1!.port),
      POSTGRES_2: hostOf(postgres2!.url),
      POSTGRES_2_CHECK: String(check2!.port),
      RABBITMQ_LISTEN: `127.0.0.1:${rabbitmqPort}`,
      RABBITMQ_1: hostOf(rabbitmq1!.url),
      RABBITMQ_2: hostOf(rabbitmq2!.url),
      RABBITMQ_3: hostOf(rabbitmq3!.url),
    },
    cwd: directory,
    logFile: logFile('haproxy'),
  });
  const databaseUrl = withHost(postgres1!.url, `127.0.0.1:${postgresPort}`);
  await until('the balancer has found the primary', () => reachesPrimaryOnly(databaseUrl));
  return {
    databaseUrl,
    amqpUrl: withHost(rabbitmq1!.url, `127.0.0.1:${rabbitmqPort}`),
    async stop() {
      await child.stop();
      await Promise.all(checks.map(({ close }) => close()));
    },
  };
}

/**
 * Returns true if four new connections all reach the primary. HAProxy distributes connections in round robin, and uses
 * a failed server until two checks have failed, so one connection would not be enough.
 */
async function reachesPrimaryOnly(url: string): Promise<boolean> {
  for (let connections = 0; connections < 4; connections += 1) {
    const rows = await query<{ standby: boolean }>(url, inRecovery).catch(() => []);
    if (rows[0]?.standby !== false) return false;
  }
  return true;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function withHost(url: string, host: string): string {
  const changed = new URL(url);
  changed.host = host;
  return changed.href;
}

/** Serves `GET /primary` as Patroni does: 200 if the database responds and is not a standby, 503 otherwise. */
async function servePrimaryCheck(url: string) {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 500,
    query_timeout: 500,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => {});
  const isPrimary = () =>
    pool.query<{ standby: boolean }>(inRecovery).then(
      ({ rows }) => rows[0]?.standby === false,
      () => false,
    );
  const server = createServer(async (_request, response) => {
    response.statusCode = (await isPrimary()) ? 200 : 503;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await pool.end();
    },
  };
}
