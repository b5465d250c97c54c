import { layOutPorts } from './ports.js';
import { describeServices } from './services.js';
import type { Secrets } from './state.js';

function envsWith(inherited: NodeJS.ProcessEnv) {
  const specs = describeServices({
    inherited,
    ports: layOutPorts(8700, 1),
    secrets: { secretsKeys: 'k1:key', engineAdminKey: 'admin-key' } as Secrets,
    databaseUrl: 'postgres://own',
    amqpUrl: 'amqp://own',
    issuer: 'https://id.example',
  });
  return Object.fromEntries(specs.map(({ kind, env }) => [kind, env]));
}

test('the launcher passes each setting to the services, and no variable of npm', () => {
  const settings = { OIDC_AUDIENCE: 'ours', PUBLIC_URL: 'https://tocsin.example', LOG_LEVEL: 'debug' };
  const envs = envsWith({ ...settings, npm_command: 'start', NODE_OPTIONS: '--inspect' });
  for (const kind of ['webhook-api', 'engine-auth']) expect(envs[kind]).toMatchObject(settings);
  expect(envs['delivery-worker']).toMatchObject({ LOG_LEVEL: 'debug' });
  const names = Object.values(envs).flatMap((env) => Object.keys(env));
  expect(names.filter((name) => /^(npm_|NODE_OPTIONS)/.test(name))).toEqual([]);
});

test('servers and ports of the services are those of the stack', () => {
  const envs = envsWith({ DATABASE_URL: '', PORT: '80', HOST: '0.0.0.0' });
  const own = { HOST: '127.0.0.1', DATABASE_URL: 'postgres://own', AMQP_URL: 'amqp://own' };
  expect(envs['webhook-api']).toMatchObject({ ...own, PORT: '8700', PUBLIC_URL: 'http://127.0.0.1:8700' });
  expect(envs['engine-auth']).toMatchObject({ ...own, OIDC_ISSUER: 'https://id.example' });
});
