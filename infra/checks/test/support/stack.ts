import { fileURLToPath } from 'node:url';
import { type Program, startProgram, until } from '@tocsin/testing';

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
    `${name} answers ${path}`,
    async () => {
      if (program.child.exitCode !== null) throw new Error(`${name} has ended:\n${program.output()}`);
      return (await fetch(`${url}${path}`).catch(() => undefined))?.status === 200;
    },
    longWait,
  );
  return { ...program, url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

export async function stop(programs: readonly Program[]): Promise<void> {
  for (const { child } of programs) if (child.exitCode === null) child.kill('SIGTERM');
  await Promise.all(programs.map(({ ended }) => ended));
}

interface Credentials {
  client_id: string;
  client_secret: string;
}

const testClients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<string, Credentials>;

export async function tokenOf(role: string): Promise<string> {
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...testClients[role] });
  const response = await fetch(`${issuer}/protocol/openid-connect/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}
