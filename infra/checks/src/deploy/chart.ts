import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = 'infra/helm/tocsin';

/** A Kubernetes object, with only the members that the checks read. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  /** Content of the member `spec`, which depends on the kind of the object. Empty if the object has no `spec`. */
  spec: Record<string, unknown>;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export const chartFolder = `${root}${folder}`;

/** Names of the value files in `ci/`, for example `everything`. */
export const chartVariants = readdirSync(`${chartFolder}/ci`).map((file) => file.replace('-values.yaml', ''));

export function variantFile(variant: string): string {
  return `${chartFolder}/ci/${variant}-values.yaml`;
}

/** Returns the objects that `helm template` renders for a variant. `args` are additional arguments of helm. */
export function renderChart(variant: string, args: readonly string[] = []): Manifest[] {
  const values = ['--values', variantFile(variant)];
  const command = ['template', 'tocsin', chartFolder, '--namespace', 'tocsin', ...values, ...args];
  const text = execFileSync('helm', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
    .map((manifest) => ({ ...manifest, spec: manifest.spec ?? {} }));
}

export function readChartFile(path: string): string {
  return readFileSync(`${chartFolder}/${path}`, 'utf8');
}

/** Returns the default values of the chart. */
export function readChartValues(): Record<string, unknown> {
  return parse(readChartFile('values.yaml')) as Record<string, unknown>;
}
