import { type Database, firstIdAt, type SecretBox } from '@tocsin/database';
import { encryptAttempt } from '@tocsin/deliveries';
import type { TestBed } from '../test-bed/test-bed.js';
import type { History } from './growth-history-repository.js';

const dayMs = 86_400_000;

/**
 * Selects `count` deliveries that are spread evenly over the history, and returns their ids. Replaces the contents
 * of their attempts with contents that are encrypted in the worker's format, so that the API can decrypt them.
 */
export async function pickDeliveries(
  database: Database,
  secretBox: SecretBox,
  { history, count }: { history: History; count: number },
): Promise<string[]> {
  const { workspaceId, days } = history;
  const ids: string[] = [];
  const nowMs = Date.now();
  for (let index = 1; index <= count; index += 1) {
    const { rows } = await database.knex.raw(
      'select id from deliveries where workspace_id = ? and id >= ? order by id limit 1',
      [workspaceId, firstIdAt(nowMs - (days * dayMs * index) / (count + 1))],
    );
    ids.push(rows[0].id);
  }
  for (const id of ids) {
    const content = { requestBody: '{"bench":true}', responseBody: 'ok' };
    const exchange_encrypted = encryptAttempt(content, { workspaceId, deliveryId: id, claim: 1 }, secretBox);
    await database.knex('attempts').where({ delivery_id: id }).update({ exchange_encrypted });
  }
  return ids;
}

/** Creates a database on the test bed's server and returns its URL. */
export async function createDatabaseFor({ database, postgres }: TestBed, name: string): Promise<string> {
  await database.knex.raw('create database ??', [name]);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropDatabase({ knex }: Database, name: string): Promise<void> {
  await knex.raw('drop database ?? with (force)', [name]);
}

/** Makes new connections log the plan of every statement. With `false`, restores the default. */
export async function setAutoExplain(database: Database, on: boolean): Promise<void> {
  const settings = on
    ? [
        `session_preload_libraries = 'auto_explain'`,
        'auto_explain.log_min_duration = 0',
        'auto_explain.log_analyze = on',
        'auto_explain.log_buffers = on',
      ]
    : ['session_preload_libraries = default', 'auto_explain.log_min_duration = default'];
  for (const setting of settings) await database.knex.raw(`alter system set ${setting}`);
  await database.knex.raw('select pg_reload_conf()');
}
