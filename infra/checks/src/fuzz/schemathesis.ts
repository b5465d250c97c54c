import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const version = '4.32.5';
const oldestPython = [3, 10] as const;

export interface Schemathesis {
  /** Sends generated requests to `apiUrl` and prints failures. Resolves with true if there are none. */
  run(options: {
    /** Path of an OpenAPI document. */
    document: string;
    apiUrl: string;
    token: string;
    maxExamples: number;
    seed: number;
  }): Promise<boolean>;
}

/**
 * Installs schemathesis from PyPI into a virtual environment in `folder`, unless it is already installed.
 * @throws Error that names the missing program
 */
export function installSchemathesis(folder: string): Schemathesis {
  const python = findPython();
  const environment = join(folder, `schemathesis-${version}`);
  const program = join(environment, 'bin', 'schemathesis');
  if (!existsSync(program)) install(python, environment);
  writeFileSync(join(folder, 'schemathesis.toml'), configuration);
  writeFileSync(join(folder, 'fuzz_hooks.py'), hooks);
  return {
    async run({ document, apiUrl, token, maxExamples, seed }) {
      const options = {
        url: apiUrl,
        header: `Authorization: Bearer ${token}`,
        checks: 'all',
        // Both checks also fail for correct responses. The first check fails if a request that matches the schema gets
        // status 422, but a schema cannot express rules such as "renders to JSON". The second check fails if a request
        // with an unsupported method gets another status than 405, but without a valid token the status is 401.
        'exclude-checks': 'positive_data_acceptance,unsupported_method',
        'max-examples': String(maxExamples),
        seed: String(seed),
        'suppress-health-check': 'all',
        'request-timeout': '30',
        'generation-database': 'none',
      };
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      const child = spawn(program, ['--no-color', 'run', ...args, '--continue-on-failure', document], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const [status] = await once(child, 'close');
      return status === 0;
    },
  };
}

/**
 * By default, schemathesis does not accept status 431 as the rejection of an invalid request, for example of a request
 * with a long query. With this setting it accepts every status 4xx.
 */
const configuration = `hooks = "fuzz_hooks"

[checks.negative_data_rejection]
expected-statuses = ["4xx"]
`;

/**
 * Schemathesis does not encode the character # in a path parameter that is a list, so the path of the request ends at
 * this character. The hook therefore makes schemathesis discard path parameters with this character.
 */
const hooks = `import schemathesis


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    return "#" not in str(path_parameters)
`;

function findPython(): string {
  const wanted = `Python ${oldestPython.join('.')} or later`;
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(`${wanted} is missing: there is no python3 (Debian: apt-get install python3-venv).`);
  const [major = 0, minor = 0] = stdout.trim().split(' ').map(Number);
  if (major !== oldestPython[0] || minor < oldestPython[1])
    throw new Error(`${wanted} is missing: python3 is ${major}.${minor}.`);
  return 'python3';
}

function install(python: string, environment: string): void {
  mkdirSync(environment, { recursive: true });
  const steps = [
    {
      command: [python, '-m', 'venv', environment],
      missing: "Python's modules venv and pip are missing (Debian: apt-get install python3-venv).",
    },
    {
      command: [
        join(environment, 'bin', 'python'),
        '-m',
        'pip',
        'install',
        '--quiet',
        `schemathesis==${version}`,
      ],
      missing: `schemathesis ${version} cannot be installed: pip does not reach PyPI.`,
    },
  ];
  for (const { command, missing } of steps) {
    const [program = '', ...args] = command;
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) throw new Error(missing);
  }
}
