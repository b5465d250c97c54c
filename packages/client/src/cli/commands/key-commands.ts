import type { Command } from 'commander';
import type { ApiKey } from '../../api/schemas.js';
import { runsOnEngine, withExamples } from '../action.js';
import type { Io } from '../io.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';

export function addKeyCommands(keys: Command, io: Io): void {
  const create = keys
    .command('create')
    .argument('<description>', 'purpose of the key')
    .description('create a key; the raw key is printed once and cannot be fetched later');
  runsOnEngine(create, io, async ({ engine, args: [description = ''], out, signal }) => {
    const key = await engine.keys.create({ description }, { signal });
    out.value(key, () => out.line(key.key));
    if (!out.json) out.note(`id ${key.id}\n${key.message}`);
  });
  withExamples(create, [
    'SERVICE_API_KEY=$GENAI_ENGINE_ADMIN_KEY tocsin keys create "churn monitor" > key.txt',
  ]);

  const list = keys.command('list').description('list the keys without their raw values');
  runsOnEngine(list, io, async ({ engine, out, signal }) => {
    const found = await engine.keys.list({ signal });
    await out.list(each(found), { columns: listColumns, none: 'No keys.' });
  });

  const deactivate = keys.command('deactivate').argument('<id>').description('deactivate a key permanently');
  runsOnEngine(deactivate, io, async ({ engine, args: [id = ''], out, signal }) => {
    await engine.keys.deactivate(id, { signal });
    out.value({ id, is_active: false }, () => out.line(`Deactivated ${id}.`));
  });
}

async function* each<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const listColumns: Column<ApiKey>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'DESCRIPTION', value: ({ description }) => description },
  {
    title: 'STATE',
    whole: true,
    value: ({ is_active }) => (is_active ? 'active' : 'inactive'),
    color: ({ is_active }) => (is_active ? 'green' : 'dim'),
  },
  { title: 'CREATED', value: ({ created_at }) => shortTime(created_at) },
  { title: 'BY', value: ({ created_by }) => created_by },
];
