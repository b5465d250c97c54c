import type { Database } from '@tocsin/database';

export interface WorkspacesReader {
  /** Lists ids of workspaces that own webhooks, alert rules, alerts or settings, in order, starting after `after`. */
  listOwners(page: { after: string; limit: number }): Promise<string[]>;
  /** Returns the names of workspaces by id. Workspaces without a name in their settings are omitted. */
  findNames(ids: readonly string[]): Promise<Map<string, string>>;
}

export function createWorkspacesReader({ knex }: Database): WorkspacesReader {
  return {
    async listOwners({ after, limit }) {
      const { rows } = await knex.raw<{ rows: { id: string }[] }>(listOwners, { after, limit });
      return rows.map(({ id }) => id);
    },

    async findNames(ids) {
      const settings: { id: string; name: string }[] = await knex('workspace_settings')
        .select('workspace_id as id', 'name')
        .whereIn('workspace_id', ids)
        .whereNotNull('name');
      return new Map(settings.map(({ id, name }) => [id, name]));
    },
  };
}

// Each step reads one entry from each of four indexes, so its time does not depend on the rows of a workspace.
const nextAfter = (id: string) => `
    select least(
      (select workspace_id from webhooks where workspace_id > ${id} order by workspace_id limit 1),
      (select workspace_id from alert_rules where workspace_id > ${id} and deleted_at is null
       order by workspace_id limit 1),
      (select workspace_id from alert_keys where workspace_id > ${id} order by workspace_id limit 1),
      (select workspace_id from workspace_settings where workspace_id > ${id} order by workspace_id limit 1))`;

const listOwners = `
  with recursive owners(id) as (
    ${nextAfter('cast(:after as uuid)')}
    union all
    ${nextAfter('owners.id')} from owners where owners.id is not null
  )
  select id from owners where id is not null limit :limit`;
