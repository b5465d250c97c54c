import { useTestDatabase } from '@tocsin/testing/database';
import { createDatabase, type DatabaseOptions } from '../src/connection.js';

const db = useTestDatabase();

const names = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'plan_cache_mode',
  'enable_seqscan',
  'enable_bitmapscan',
];

/**
 * Returns the settings of a new connection by name: each value, and its source in the words of PostgreSQL. The source
 * `session` means that a statement has set the value.
 */
async function settingsOf(options: Partial<DatabaseOptions>): Promise<Record<string, [string, string]>> {
  const database = createDatabase({ url: db.url, applicationName: 'test', poolSize: 1, ...options });
  const { rows } = await database.knex.raw(
    'select name, setting, source from pg_settings where name = any(?)',
    [names],
  );
  await database.close();
  return Object.fromEntries(rows.map((row: Record<string, string>) => [row.name, [row.setting, row.source]]));
}

test('the settings of a connection are set by a statement, and not as startup parameters', async () => {
  const settings = await settingsOf({ statementTimeoutMs: 7_000, lockTimeoutMs: 1_234, plansByKey: true });
  expect(settings).toEqual({
    statement_timeout: ['7000', 'session'],
    lock_timeout: ['1234', 'session'],
    idle_in_transaction_session_timeout: ['30000', 'session'],
    plan_cache_mode: ['force_generic_plan', 'session'],
    enable_seqscan: ['off', 'session'],
    enable_bitmapscan: ['off', 'session'],
  });
});

test('the parameter statement_timeout of the database URL overrides the default timeout', async () => {
  const url = new URL(db.url);
  url.searchParams.set('statement_timeout', '321');
  const settings = await settingsOf({ url: url.href });
  expect(settings.statement_timeout).toEqual(['321', 'client']);
  expect(settings.enable_seqscan?.[0]).toBe('on');
});
