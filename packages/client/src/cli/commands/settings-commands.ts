import type { Command } from 'commander';
import type { Tagged } from '../../api/requests.js';
import type { PatchWorkspaceSettings, WorkspaceSettings } from '../../api/schemas.js';
import { runsInWorkspace, withExamples } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { collect, withIfMatch } from '../parse-values.js';

interface SettingsFlags {
  name?: string | false;
  noticeWebhook?: string[] | false;
  ifMatch?: string;
}

export function addSettingsCommands(settings: Command, io: Io): void {
  const get = settings.command('get').description('show the settings');
  runsInWorkspace(get, io, async ({ platform, out, signal }) => {
    show(await platform.settings.get({ signal }), out);
  });

  const update = withIfMatch(settings.command('update'))
    .description('change only the given settings; for admins of the workspace')
    .option('--name <text>', 'display name of the workspace')
    .option('--no-name', 'no label')
    .option('--notice-webhook <id>', 'id of a webhook that gets notices about webhooks; repeatable', collect)
    .option('--no-notice-webhook', 'send no notices');
  runsInWorkspace<SettingsFlags>(update, io, async ({ platform, options, out, signal }) => {
    const { name, noticeWebhook, ifMatch } = options;
    const changes: PatchWorkspaceSettings = {
      ...(name !== undefined && { name: name === false ? null : name }),
      ...(noticeWebhook !== undefined && { notice_webhook_ids: noticeWebhook || [] }),
    };
    if (Object.keys(changes).length === 0)
      throw new CommandFailure(exitCodes.usage, 'Nothing to change was given.');
    show(await platform.settings.update(changes, { ifMatch, signal }), out);
  });
  withExamples(update, ['tocsin settings update --name "Risk team" --notice-webhook WEBHOOK_ID']);
}

function show(settings: Tagged<WorkspaceSettings>, out: Output): void {
  out.value(settings, () =>
    out.facts({
      name: settings.name ?? 'none',
      'notice webhooks': settings.notice_webhook_ids.join('\n') || 'none',
      etag: settings.etag,
    }),
  );
}
