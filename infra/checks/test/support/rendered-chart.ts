import { type Manifest, renderChart as render } from '../../src/deploy/chart.js';
import { testWith } from './test-with.js';

/**
 * Declares a test that renders the chart. helm is not an npm package, so the test runs only where helm is installed.
 * chart.test.ts checks the files of the chart without helm.
 */
export function testRendering(name: string, run: () => void): void {
  testWith(['helm', 'version'], name, run);
}

export interface Container {
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  livenessProbe?: object;
  readinessProbe?: object;
  lifecycle?: { preStop: { exec: { command: [string, string] } } };
}

interface PodSpec {
  containers: Container[];
  volumes?: { name: string; configMap?: object; secret?: object; persistentVolumeClaim?: object }[];
  terminationGracePeriodSeconds?: number;
}

export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: PodSpec;
}

const rendered = new Map<string, Manifest[]>();

/** Renders a variant of the chart. The result is cached for each set of arguments. */
export function renderChart(variant: string, args: string[] = []): Manifest[] {
  const key = [variant, ...args].join(' ');
  const manifests = rendered.get(key) ?? render(variant, args);
  rendered.set(key, manifests);
  return manifests;
}

export function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`No ${kind} ${name} is rendered.`);
  return found;
}

export function podOf({ kind, spec }: Manifest): PodTemplate | undefined {
  if (kind === 'CronJob') return (spec.jobTemplate as { spec: { template: PodTemplate } }).spec.template;
  return kind === 'Deployment' || kind === 'Job' ? (spec.template as PodTemplate) : undefined;
}

export function podsOf(manifests: readonly Manifest[]): PodTemplate[] {
  return manifests.flatMap((manifest) => podOf(manifest) ?? []);
}
