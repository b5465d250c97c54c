import { readdirSync } from 'node:fs';
import { parse } from 'yaml';
import {
  chartFolder,
  chartVariants,
  type Manifest,
  readChartFile,
  readChartValues,
} from '../src/deploy/chart.js';
import { composeService, readText } from './support/compose.js';
import { imageEnv } from './support/image.js';
import {
  type Container,
  named,
  type PodTemplate,
  podOf,
  podsOf,
  renderChart,
  testRendering,
} from './support/rendered-chart.js';
import { loaders, variablesReadBy } from './support/variables.js';

const services = Object.keys(loaders);

// This test does not need helm. On a machine without helm it is the only test of this file, and Jest fails for a file
// without tests.
test('each value that a template of the chart uses has a default', () => {
  const templates = readdirSync(`${chartFolder}/templates`).map((file) => readChartFile(`templates/${file}`));
  const paths = templates.flatMap((text) => text.match(/\.Values(\.\w+)+/g) ?? []);
  expect(paths.length).toBeGreaterThan(30);
  const isSet = (path: string) =>
    path
      .split('.')
      .slice(2)
      .reduce<unknown>(
        (value, name) => (value as Record<string, unknown> | undefined)?.[name],
        readChartValues(),
      ) !== undefined;
  // Operators choose the keys of `config`, so the chart can use keys that `values.yaml` does not set.
  expect([...new Set(paths)].filter((path) => !path.startsWith('.Values.config.') && !isSet(path))).toEqual(
    [],
  );
});

for (const variant of chartVariants) {
  testRendering(`each pod of the variant ${variant} satisfies the Pod Security standard restricted`, () => {
    const pods = podsOf(renderChart(variant));
    // The variant `everything` has one more pod, that of the CronJob for the archive.
    expect(pods).toHaveLength(variant === 'everything' ? 6 : 5);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers', 'ephemeralContainers'];
      expect(Object.keys(spec).filter((field) => hostFields.includes(field))).toEqual([]);
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
      for (const { configMap, secret, persistentVolumeClaim } of spec.volumes ?? [])
        expect(configMap ?? secret ?? persistentVolumeClaim).toBeDefined();
    }
  });
}

for (const service of services) {
  testRendering(`the Deployment of ${service} has the ports, probes and variables of the code`, () => {
    for (const variant of chartVariants) {
      const manifests = renderChart(variant);
      const { spec } = podOf(named(manifests, 'Deployment', `tocsin-${service}`)) as PodTemplate;
      const [container] = spec.containers as [Container];
      expect(container).toMatchObject({
        args: composeService(service).command,
        ports: [
          { name: 'http', containerPort: Number(imageEnv().PORT) },
          { name: 'metrics', containerPort: Number(imageEnv().METRICS_PORT) },
        ],
        livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
        readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
      });
      // Node.js and OpenTelemetry read these two variables; the code of the services does not.
      const read = variablesReadBy(service).add('NODE_EXTRA_CA_CERTS').add('OTEL_EXPORTER_OTLP_HEADERS');
      const given = container.env ?? [];
      expect(given.filter(({ name }) => !read.has(name))).toEqual([]);
      const values = given.map(({ name, value }) => [name, value ?? secretOf(name)]);
      const { data } = named(manifests, 'ConfigMap', 'tocsin');
      const env = { ...imageEnv(), ...data, ...Object.fromEntries(values) };
      expect(() => loaders[service]?.(env)).not.toThrow();
    }
  });

  testRendering(`Kubernetes waits longer for ${service} to stop than the service needs`, () => {
    const { spec } = podOf(named(renderChart('default'), 'Deployment', `tocsin-${service}`)) as PodTemplate;
    const [, before = '0'] = spec.containers[0]?.lifecycle?.preStop.exec.command ?? [];
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(25 + Number(before));
  });
}

function secretOf(variable: string): string {
  if (variable === 'DATABASE_URL') return 'postgres://tocsin@postgres/tocsin';
  return variable === 'AMQP_URL' ? 'amqp://rabbitmq' : `k1:${Buffer.alloc(32).toString('base64')}`;
}

testRendering(
  'an upgrade does not reset the number of instances that an autoscaler or a person has set',
  () => {
    const replicasOf = (manifests: Manifest[]) =>
      manifests.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.replicas as unknown);
    expect(replicasOf(renderChart('everything'))).toEqual([undefined, undefined, undefined]);
    expect(replicasOf(renderChart('two-replicas'))).toEqual([2, 2, 2]);
    const free = renderChart('two-replicas', ['--set', 'deliveryWorker.replicas=null']);
    expect(named(free, 'Deployment', 'tocsin-delivery-worker').spec.replicas).toBeUndefined();
  },
);

testRendering('pods are replaced when a setting, a secret or an authority changes', () => {
  const annotationsOf = (variant: string, ...args: string[]) =>
    JSON.stringify(
      renderChart(variant, args).flatMap((one) =>
        one.kind === 'Deployment' ? [podOf(one)?.metadata.annotations] : [],
      ),
    );
  const before = annotationsOf('everything');
  expect(annotationsOf('everything')).toBe(before);
  for (const change of ['secret.values.AMQP_URL=amqp://other', 'config.RETENTION_DAYS=30']) {
    expect(annotationsOf('everything', '--set', change)).not.toBe(before);
  }
  const pem = 'authorities.pem=-----BEGIN CERTIFICATE-----other';
  expect(annotationsOf('private-authority', '--set', pem)).not.toBe(annotationsOf('private-authority'));
});

testRendering('migrations run before everything else, once, and their first failure is final', () => {
  const manifests = renderChart('everything');
  const hook = { 'helm.sh/hook': 'pre-install,pre-upgrade' };
  const job = named(manifests, 'Job', 'tocsin-migrations');
  expect(job).toMatchObject({ metadata: { annotations: hook }, spec: { backoffLimit: 0 } });
  expect(podOf(job)?.spec).toMatchObject({ restartPolicy: 'Never' });
  expect(podOf(job)?.spec.containers[0]?.args).toEqual(composeService('migrations').command);
  // The migration job is a hook that helm runs before it installs other objects. All objects that the job uses must
  // therefore be hooks too.
  const secret = named(manifests, 'Secret', 'tocsin-migrations');
  expect(secret.metadata.annotations).toMatchObject(hook);
  expect(Object.keys(secret.stringData ?? {})).toEqual(['DATABASE_URL']);
  expect(podOf(job)?.spec.containers[0]?.env).toMatchObject([
    { valueFrom: { secretKeyRef: { name: 'tocsin-migrations' } } },
  ]);
  const policy = named(manifests, 'NetworkPolicy', 'tocsin-migrations');
  expect(policy.metadata.annotations).toMatchObject(hook);
});

testRendering('each service reads a credential for traces from an optional key of the Secret', () => {
  const deployments = renderChart('everything').filter(({ kind }) => kind === 'Deployment');
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  expect(deployments).toHaveLength(services.length);
  for (const pod of podsOf(deployments)) {
    const valueFrom = { secretKeyRef: { name: 'tocsin', key: name, optional: true } };
    expect(pod.spec.containers[0]?.env).toContainEqual({ name, valueFrom });
  }
});

testRendering('the chart is not rendered with the image of a placeholder registry', () => {
  const args = ['--set', 'image.repository=registry.example/tocsin'];
  expect(() => renderChart('default', args)).toThrow('image.repository is a placeholder.');
});

testRendering('the key rotation is a suspended job that gets only the keys and the database', () => {
  const rotation = named(renderChart('default'), 'CronJob', 'tocsin-rotate-keys');
  expect(rotation.spec.suspend).toBe(true);
  const [container] = podOf(rotation)?.spec.containers ?? [];
  expect(container?.args).toEqual(['packages/database/dist/rotate-keys.js']);
  expect(container?.env?.map(({ name }) => name)).toEqual(['DATABASE_URL', 'SECRETS_KEYS']);
});

testRendering('the chart has a daily archive job only if a PersistentVolumeClaim is set', () => {
  const isArchive = ({ kind, metadata }: Manifest) =>
    kind === 'CronJob' && metadata.name === 'tocsin-archive';
  expect(renderChart('default').filter(isArchive)).toEqual([]);
  const archive = named(renderChart('everything'), 'CronJob', 'tocsin-archive');
  expect(archive.spec).toMatchObject({ schedule: '17 3 * * *', concurrencyPolicy: 'Forbid' });
  const { containers = [], volumes } = podOf(archive)?.spec ?? {};
  expect(containers[0]?.args).toEqual(composeService('archive').command);
  expect(containers[0]?.volumeMounts).toContainEqual({ name: 'archive', mountPath: '/archive' });
  expect(volumes).toContainEqual({
    name: 'archive',
    persistentVolumeClaim: { claimName: 'tocsin-archive' },
  });
});

testRendering('an archive job is rejected if workers would drop expired days before it', () => {
  const args = ['--set', 'archive.claim=tocsin-archive'];
  expect(() => renderChart('default', args)).toThrow('archive.claim needs config.RETENTION_ARCHIVE');
});

testRendering('alarms, dashboards and broker policies are those of the compose file', () => {
  const manifests = renderChart('everything', ['--set', 'monitoring.rules.exclude=null']);
  const { groups } = named(manifests, 'PrometheusRule', 'tocsin').spec as { groups: unknown };
  const shipped = parse(readText('infra/prometheus/alarms.yml')) as {
    groups: { rules: { alert: string }[] }[];
  };
  // The chart does not contain DiskSpaceLow, because this alarm reads the mount points of the compose file.
  const expected = shipped.groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert }) => alert !== 'DiskSpaceLow'),
  }));
  expect(groups).toEqual(expected);
  const shown = named(manifests, 'ConfigMap', 'tocsin-dashboard-tocsin');
  expect(shown.data?.['tocsin.json']).toBe(readText('infra/grafana/dashboards/tocsin.json'));
  const { policies } = parse(readText('infra/rabbitmq/definitions.json')) as { policies: object[] };
  const set = manifests.filter(({ apiVersion }) => apiVersion === 'rabbitmq.com/v1beta1');
  const plain = set.map(({ spec: { applyTo, rabbitmqClusterReference: _, ...rest } }) => ({
    ...rest,
    'apply-to': applyTo,
  }));
  expect(plain).toEqual(policies);
});

testRendering(
  'installations with one broker namespace have policies of different names and virtual hosts',
  () => {
    const policyOf = (args: string[]) => {
      const [policy] = renderChart('everything', args).filter(({ kind }) => kind === 'Policy');
      return [policy?.metadata.name, policy?.spec.vhost];
    };
    expect(policyOf(['--namespace', 'one'])).toEqual(['one-tocsin-expired-alerts', '/']);
    const other = ['--namespace', 'two', '--set', 'brokerPolicy.vhost=alerts'];
    expect(policyOf(other)).toEqual(['two-tocsin-expired-alerts', 'alerts']);
  },
);

testRendering('alarms without metrics in the cluster can be left out', () => {
  const { groups } = named(renderChart('everything'), 'PrometheusRule', 'tocsin').spec as {
    groups: { rules: { alert: string }[] }[];
  };
  const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(names).toContain('BrokerDown');
  expect(names).not.toContain('BrokerBlocked');
});

testRendering('Prometheus gives each pod the job name that the alarms use', () => {
  const manifests = renderChart('everything');
  const { spec } = named(manifests, 'PodMonitor', 'tocsin');
  expect(spec).toMatchObject({ podMetricsEndpoints: [{ port: 'metrics' }] });
  const jobs = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map((one) => podOf(one)?.metadata.labels[spec.jobLabel as string]);
  expect(jobs.sort()).toEqual([...services].sort());
});

testRendering('only the APIs trust the private authority of the identity provider', () => {
  const trustedBy = (service: string) => {
    const pod = podOf(named(renderChart('everything'), 'Deployment', `tocsin-${service}`));
    const { env = [], volumeMounts = [] } = pod?.spec.containers[0] ?? {};
    const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
    return [file, volumeMounts.some(({ mountPath }) => file === `${mountPath}/ca.crt`)];
  };
  const trusted = ['/etc/tocsin/identity/ca.crt', true];
  expect(['webhook-api', 'engine-auth'].map(trustedBy)).toEqual([trusted, trusted]);
  expect(trustedBy('delivery-worker')).toEqual([undefined, false]);
});

testRendering('client certificates and authorities are mounted at the paths in the settings', () => {
  const mountsOf = (variant: string, service: string) =>
    podOf(
      named(renderChart(variant), 'Deployment', `tocsin-${service}`),
    )?.spec.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath);
  const { secret } = parse(readChartFile('ci/client-certificates-values.yaml')) as {
    secret: { values: { DATABASE_URL: string } };
  };
  const [database] = [...secret.values.DATABASE_URL.matchAll(/=(\/[^&]*)\//g)].map(([, path]) => path);
  expect(mountsOf('client-certificates', 'engine-auth')).toContain(database);
  expect(mountsOf('client-certificates', 'webhook-api')).toEqual([database, '/etc/tocsin/broker']);
  for (const service of ['webhook-api', 'delivery-worker']) {
    const pod = podOf(named(renderChart('private-authority'), 'Deployment', `tocsin-${service}`));
    const file = pod?.spec.containers[0]?.env?.find(({ name }) => name === 'EGRESS_CA_FILE')?.value;
    const [mount] = pod?.spec.containers[0]?.volumeMounts ?? [];
    expect(file).toBe(`${mount?.mountPath}/authorities.pem`);
  }
});
