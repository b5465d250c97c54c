import { fileURLToPath } from 'node:url';
import { findFreePorts } from '@tocsin/local';
import { type Program, startProgram, until } from '@tocsin/testing';
import { testSecretsKeys } from '@tocsin/testing/database';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

export interface LoggingProgram extends Program {
  /** Returns the parsed log lines with this event. */
  lines(event: string): Record<string, unknown>[];
}

/** Starts a built program of the repository. Its environment consists of `env` only. */
export function run(script: string, env: Record<string, string>): LoggingProgram {
  const program = startProgram(`${root}${script}`, env);
  return {
    ...program,
    lines: (event) =>
      program
        .output()
        .split('\n')
        .filter((line) => line.includes(`"msg":"${event}"`))
        .map(parseLine),
  };
}

function parseLine(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}

/** Timeout for conditions that services check only every few seconds. */
export const longWait = { timeoutMs: 25_000, intervalMs: 25 };

export type Service = LoggingProgram & { url: string; metricsUrl: string };

/** Starts a service and waits until `path` returns 200: `/readyz` for ready, or `/livez` for alive. */
export async function startService(
  name: string,
  { env, ports, path = '/readyz' }: { env: Record<string, string>; ports: [number, number]; path?: string },
): Promise<Service> {
  const [port, metricsPort] = ports;
  const program = run(`services/${name}/dist/main.js`, {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'trace',
    ...env,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    `${name} responds to ${path}`,
    async () => {
      if (program.child.exitCode !== null) throw new Error(`${name} has ended:\n${program.output()}`);
      return (await fetch(`${url}${path}`).catch(() => undefined))?.status === 200;
    },
    longWait,
  );
  return { ...program, url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

export interface Stack {
  api: Service;
  engine: Service;
  worker: Service;
}

/** Starts one instance of each service. */
export async function startStack(env: Record<string, string>): Promise<Stack> {
  const ports = await findFreePorts(6);
  const pair = (at: number): [number, number] => [ports[at] ?? 0, ports[at + 1] ?? 0];
  const [api, engine, worker] = await Promise.all([
    startService('webhook-api', { env, ports: pair(0) }),
    startService('engine-auth', { env, ports: pair(2) }),
    startService('delivery-worker', { env, ports: pair(4) }),
  ]);
  return { api, engine, worker };
}

export async function stop(programs: readonly Program[]): Promise<void> {
  for (const { child } of programs) if (child.exitCode === null) child.kill('SIGTERM');
  await Promise.all(programs.map(({ ended }) => ended));
}

export const adminKey = 'the admin key of this test';

/** Settings with which all services run in a test. They allow destinations on this machine. */
export function testSettings(databaseUrl: string, amqpUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    AMQP_URL: amqpUrl,
    OIDC_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
    SECRETS_KEYS: testSecretsKeys,
    EGRESS_ALLOW: '127.0.0.0/8',
    GENAI_ENGINE_ADMIN_KEY: adminKey,
  };
}
