import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { canInstallPackages, installPackages } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { build } from 'esbuild';
import { createWorkerHarness } from '../../../services/delivery-worker/test/support/worker-harness.js';

// The example of each language publishes one alert to a real broker. A real worker delivers it to a destination.

const root = fileURLToPath(new URL('../', import.meta.url));
const examples = join(root, 'examples');
const directory = mkdtempSync(join(tmpdir(), 'tocsin-examples-'));
const modelId = '00000000-0000-4000-8000-000000000001';

let harness: Awaited<ReturnType<typeof createWorkerHarness>>;
let amqpUrl: string;
beforeAll(async () => {
  harness = await createWorkerHarness();
  await harness.startWorker();
  amqpUrl = harness.config.amqpUrl.reveal();
});
afterAll(async () => {
  await harness.close();
  rmSync(directory, { recursive: true });
});

/** Command that runs an example. `argumentsOf` adds the arguments that describe the alert. */
interface Example {
  command: string;
  argumentsOf(words: string[]): string[];
  cwd?: string;
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function run({ command, argumentsOf, cwd = directory }: Example, words: string[], url: string) {
  const env = { ...process.env, TOCSIN_AMQP_URL: url };
  return new Promise<Outcome>((resolve) => {
    execFile(command, argumentsOf(words), { cwd, env }, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : Number(error.code ?? 1),
        // Maven prints the escape sequence that resets colours even with -Dstyle.color=never.
        stdout: stripVTControlCharacters(stdout),
        stderr,
      }),
    );
  });
}

/** Runs the example, and expects that its alert arrives at a destination with all its fields. */
async function expectDelivered(example: Example, language: string): Promise<void> {
  const target = await harness.addTarget({
    body: '{"id": "{{ alert_id }}", "value": {{ metric_value }}, "state": "{{ state }}", "team": "{{ labels.team }}", "language": "{{ labels.language }}", "summary": "{{ annotations.summary }}"}',
  });
  const ruleId = await harness.addRule([target.id]);
  const result = await run(example, [harness.workspaceId, ruleId, modelId, '0.42'], amqpUrl);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\s*$/) });
  const [request] = await until(`the alert of ${language} is delivered`, () => {
    const requests = harness.destination.at(target.path);
    return requests.length > 0 && requests;
  });
  expect(JSON.parse(request!.body)).toEqual({
    id: result.stdout.trim(),
    value: 0.42,
    state: 'firing',
    team: 'risk',
    language,
    summary: expect.stringContaining('example'),
  });
}

/** Expects that the example exits with 1 and an error message if the exchange is missing or the password is wrong. */
async function expectRejected(example: Example): Promise<void> {
  const words = [harness.workspaceId, modelId, modelId, '1'];
  const blank = Object.assign(new URL(amqpUrl), { pathname: '/blank' }).href;
  const wrong = Object.assign(new URL(amqpUrl), { password: 'wrong' }).href;
  for (const url of [blank, wrong]) {
    const { code, stdout, stderr } = await run(example, words, url);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\S/);
  }
}

test('the TypeScript example publishes an alert that is delivered', async () => {
  const outfile = join(root, 'dist/test-examples/publish-alert.mjs');
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await build({
    entryPoints: [join(examples, 'publish-alert.mts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['tocsin-source'],
    external: Object.keys(dependencies),
    banner: {
      js: "import { createRequire as make } from 'node:module'; const require = make(import.meta.url);",
    },
  });
  const example = { command: process.execPath, argumentsOf: (words: string[]) => [outfile, ...words] };
  await expectDelivered(example, 'typescript');
  await expectRejected(example);
}, 60_000);

test('the Python example publishes an alert that is delivered', async () => {
  const file = join(examples, 'publish_alert.py');
  const example = { command: pythonWithPika(), argumentsOf: (words: string[]) => [file, ...words] };
  await expectDelivered(example, 'python');
  await expectRejected(example);
}, 600_000);

// The tests of Go and Java exist only on machines with the tools of the language.
if (isInstalled('go', 'version'))
  test('the Go example publishes an alert that is delivered', async () => {
    const cwd = copyOf('go');
    const program = join(cwd, 'publish-alert');
    const built = await run(
      { command: 'go', argumentsOf: (words) => words, cwd },
      ['build', '-o', program],
      '',
    );
    expect(built).toMatchObject({ code: 0 });
    const example = { command: program, argumentsOf: (words: string[]) => words, cwd };
    await expectDelivered(example, 'go');
    await expectRejected(example);
  }, 600_000);

if (isInstalled('javac', '-version') && isInstalled('mvn', '-v'))
  test('the Java example publishes an alert that is delivered', async () => {
    const cwd = copyOf('java');
    const maven = ['-q', '-B', '-Dstyle.color=never', 'compile', 'exec:java'];
    const example = {
      command: 'mvn',
      argumentsOf: (words: string[]) => [...maven, `-Dexec.args=${words.join(' ')}`],
      cwd,
    };
    await expectDelivered(example, 'java');
    await expectRejected(example);
  }, 600_000);

/** Returns the command of a Python interpreter that has the package pika. If none has it, installs python3-pika. */
function pythonWithPika(): string {
  const find = () =>
    ['python3', '/usr/bin/python3'].find((python) => isInstalled(python, '-c', 'import pika'));
  const found = find();
  if (found !== undefined) return found;
  const log = join(directory, 'apt.log');
  if (canInstallPackages() && installPackages(['python3-pika'], log)) return find() ?? '/usr/bin/python3';
  throw new Error('Install pika for Python: apt-get install python3-pika, or pip install pika.');
}

function isInstalled(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** Copies the folder of an example, so that its build writes nothing into the repository. */
function copyOf(name: string): string {
  const copy = join(directory, name);
  mkdirSync(copy);
  cpSync(join(examples, name), copy, { recursive: true });
  return copy;
}
