import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `node infra/make-env.js [directory]`: writes `.env` from .env.example, and one file under `secrets/` for each secret
 * of docker-compose.yml: with a random value, or empty for the URLs of alarm receivers. Existing files are never
 * changed, because stored data cannot be decrypted without its keys.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const target = process.argv[2] ?? root;
const envFile = join(target, '.env');
const secretsDirectory = join(target, 'secrets');

const existing = [envFile, secretsDirectory].filter((path) => existsSync(path));
if (existing.length > 0) {
  process.stderr.write(
    `Nothing is changed, because this exists already: ${existing.join(', ')}. Move it away first.\n`,
  );
  process.exit(1);
}

// Other users of this machine cannot enter the directory. Containers run as different users, so the files themselves
// are readable for all.
mkdirSync(secretsDirectory, { mode: 0o700 });
for (const [name, value] of Object.entries(makeSecrets())) {
  const file = join(secretsDirectory, name);
  writeFileSync(file, `${value}\n`, { flag: 'wx' });
  chmodSync(file, 0o644);
}
const example = readFileSync(join(root, '.env.example'), 'utf8');
const env = example.replace(/^WORKSPACE_ID=$/m, `WORKSPACE_ID=${randomUUID()}`);
writeFileSync(envFile, env, { flag: 'wx', mode: 0o600 });
process.stderr.write(`${envFile} and ${secretsDirectory} are written. Keep a copy elsewhere.\n`);

function makeSecrets() {
  const database = makePassword();
  const broker = makePassword();
  return {
    secrets_keys: `k1:${randomBytes(32).toString('base64')}`,
    engine_admin_key: makePassword(),
    database_url: `postgres://tocsin:${database}@postgres:5432/tocsin`,
    tocsin_db_password: database,
    amqp_url: `amqp://tocsin:${broker}@rabbitmq:5672`,
    rabbitmq_user: `default_user = tocsin\ndefault_pass = ${broker}`,
    postgres_password: makePassword(),
    keycloak_db_password: makePassword(),
    metrics_db_password: makePassword(),
    keycloak_admin_password: makePassword(),
    grafana_admin_password: makePassword(),
    tocsin_user_password: makePassword(),
    tocsin_admin_client_secret: makePassword(),
    tocsin_publisher_client_secret: makePassword(),
    // URLs of alarm receivers. They are empty until an operator enters them.
    chat_url: '',
    watchdog_url: '',
  };
}

/** Passwords contain only letters and digits, because some become part of a URL or of JSON. */
function makePassword() {
  return randomBytes(24).toString('hex');
}
