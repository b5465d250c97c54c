import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import {
  chartFolder,
  chartVariants,
  type Manifest,
  readChartFile,
  renderChart,
  variantFile,
} from './chart.js';

/**
 * `npm run check:deploy`: checks the chart, the compose file, the Dockerfile, the workflows and the alarms with
 * standard tools. Missing tools are reported; with `--require-all` they are an error.
 */
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tocsin-deploy-'));

/** The oldest Kubernetes version that the chart supports, and a current one. */
const kubernetesVersions = ['1.27', '1.37'];

/**
 * API groups of custom resources. kubernetes-validate cannot check such objects, because Kubernetes has no schemas for
 * them. promtool checks the alarm rules instead, and the tests chart-rendering.test.ts and chart.test.ts check parts of
 * the other custom resources.
 */
const customGroups = ['keda.sh', 'monitoring.coreos.com', 'rabbitmq.com'];

interface Check {
  tool: string;
  /** Tools that the check needs in addition to `tool`. */
  needs?: string[];
  run(): void;
}

const checks: Check[] = [
  { tool: 'helm', run: checkChart },
  { tool: 'kubernetes-validate', needs: ['helm'], run: checkObjects },
  { tool: 'promtool', run: checkAlarms },
  { tool: 'actionlint', run: () => runTool('actionlint', []) },
  {
    tool: 'shellcheck',
    run: () => runTool('shellcheck', ['.ci/run', 'infra/checks/install-deploy-tools.sh']),
  },
  { tool: 'hadolint', run: () => runTool('hadolint', ['infra/Dockerfile']) },
  { tool: 'check-jsonschema', run: checkSchemas },
];

const failures: string[] = [];
const missing: string[] = [];
try {
  for (const check of checks) {
    if (![check.tool, ...(check.needs ?? [])].every(isInstalled)) {
      missing.push(check.tool);
      continue;
    }
    console.log(`--- ${check.tool}`);
    check.run();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (missing.length > 0) {
  console.log(`Not checked, because tools are missing: ${missing.join(', ')}.`);
  console.log('infra/checks/install-deploy-tools.sh FOLDER installs them into FOLDER/bin.');
}
for (const failure of failures) console.error(`Failed: ${failure}`);
const isComplete = missing.length === 0 || !process.argv.includes('--require-all');
if (failures.length > 0 || !isComplete) process.exitCode = 1;

function isInstalled(tool: string): boolean {
  return spawnSync(tool, ['--help'], { stdio: 'ignore' }).error === undefined;
}

/** Runs a tool and prints its output. If it fails, adds its command line to the failures. */
function runTool(tool: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(tool, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) failures.push([tool, ...args].join(' '));
}

function checkChart(): void {
  for (const variant of chartVariants) {
    runTool('helm', ['lint', '--strict', '--quiet', chartFolder, '--values', variantFile(variant)]);
  }
  runTool('helm', ['package', chartFolder, '--destination', folder]);
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) return;
  runTool('tar', ['-xmzf', archive], folder);
  // In the repository, these three files of the chart are symbolic links to files outside the chart. The packaged chart
  // must contain copies of those files.
  for (const file of ['alarms.yml', 'definitions.json', 'dashboards/tocsin.json']) {
    const packaged = readFileSync(join(folder, 'tocsin/files', file), 'utf8');
    if (packaged !== readChartFile(`files/${file}`)) failures.push(`The package has another files/${file}.`);
  }
}

function checkObjects(): void {
  for (const variant of chartVariants) {
    const objects = renderChart(variant);
    const known = objects.filter(({ apiVersion }) => !customGroups.includes(apiVersion.split('/')[0] ?? ''));
    const files = writeObjects(variant, known);
    for (const version of kubernetesVersions) {
      runTool('kubernetes-validate', ['--strict', '--quiet', '--kubernetes-version', version, ...files]);
    }
    console.log(`${variant}: ${known.length} of ${objects.length} objects, the others are custom resources`);
  }
}

function writeObjects(variant: string, objects: readonly Manifest[]): string[] {
  mkdirSync(join(folder, variant));
  return objects.map((object) => {
    const file = join(folder, variant, `${object.kind}-${object.metadata.name}.yaml`);
    // `renderChart` adds an empty `spec` to objects without one. The schemas reject a `spec` in such objects, so the
    // empty one is removed.
    const { spec, ...others } = object;
    writeFileSync(file, stringify(Object.keys(spec).length > 0 ? object : others));
    return file;
  });
}

function checkAlarms(): void {
  runTool('promtool', ['check', 'rules', 'infra/prometheus/alarms.yml']);
  runTool('promtool', ['check', 'config', '--syntax-only', 'infra/prometheus/prometheus.yml']);
  if (!isInstalled('helm')) return;
  const rules = renderChart('everything').filter(({ kind }) => kind === 'PrometheusRule');
  for (const { metadata, spec } of rules) {
    const file = join(folder, `${metadata.name}-rules.yml`);
    writeFileSync(file, stringify(spec));
    runTool('promtool', ['check', 'rules', file]);
  }
}

function checkSchemas(): void {
  const workflows = readdirSync(join(root, '.github/workflows')).map((file) => `.github/workflows/${file}`);
  const check = (schema: string, ...files: string[]) =>
    runTool('check-jsonschema', ['--builtin-schema', `vendor.${schema}`, ...files]);
  check('compose-spec', 'docker-compose.yml');
  check('github-workflows', ...workflows);
  check('renovate', 'renovate.json');
}
