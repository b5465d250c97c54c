import type { Command } from 'commander';
import type { SigningSecret } from '../../api/schemas.js';
import { runsOnPlatform, withExamples } from '../action.js';
import type { Io } from '../io.js';
import { parseSeconds } from '../parse-values.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';

export function addSigningSecretCommands(webhooks: Command, io: Io): void {
  const secrets = webhooks.command('secrets').description('secrets that sign the requests of a webhook');

  const create = secrets
    .command('create')
    .argument('<webhook-id>')
    .description('create a secret and print it; it cannot be read later')
    .option(
      '--expire-others <duration>',
      'time after which all other secrets stop signing, such as 1d',
      parseSeconds,
    );
  runsOnPlatform<{ expireOthers?: number }>(
    create,
    io,
    async ({ platform, args: [id = ''], options, out, signal }) => {
      const { expireOthers } = options;
      const fields = expireOthers === undefined ? {} : { expire_others_after_seconds: expireOthers };
      const created = await platform.webhooks.signingSecrets.create(id, fields, { signal });
      out.value(created, () => out.facts({ id: created.id, secret: created.secret }));
    },
  );
  withExamples(create, ['tocsin webhooks secrets create WEBHOOK_ID --expire-others 1d']);

  const list = secrets
    .command('list')
    .argument('<webhook-id>')
    .description('list the secrets, without their values');
  runsOnPlatform(list, io, async ({ platform, args: [id = ''], out, signal }) => {
    const found = platform.webhooks.signingSecrets.list(id, { signal });
    await out.list(found, { columns, none: 'No signing secrets.' });
  });

  const remove = secrets
    .command('delete')
    .argument('<webhook-id>')
    .argument('<secret-id>')
    .description('delete a secret');
  runsOnPlatform(remove, io, async ({ platform, args: [webhookId = '', id = ''], out, signal }) => {
    await platform.webhooks.signingSecrets.delete(webhookId, id, { signal });
    out.value({ id, deleted: true }, () => out.line(`Deleted ${id}.`));
  });
}

const columns: Column<SigningSecret>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'CREATED', value: ({ created_at }) => shortTime(created_at) },
  { title: 'EXPIRES', value: ({ expires_at }) => (expires_at === null ? 'never' : shortTime(expires_at)) },
];
