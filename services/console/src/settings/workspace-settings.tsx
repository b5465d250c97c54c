import type { WorkspaceSettings as Settings } from '@tocsin/client/browser';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  Permitted,
  useNoticeWebhook,
  usePermission,
  useSettings,
  useUpdateSettings,
  useWebhooks,
} from '../api/index.js';
import { usePaths } from '../paths.js';
import { AskBeforeLeaving } from '../shared/ask-before-leaving.js';
import { AttachList } from '../shared/attach-list.js';
import { QueryState } from '../shared/query-state.js';
import { Button, Card, Failure, Form, Notice, TextField } from '../ui/index.js';

/** Form for the settings of the workspace: its name, and the webhooks that receive its notices. */
export function WorkspaceSettings() {
  const settings = useSettings();
  const update = usePermission('workspace_update_settings');
  return (
    <Card title="Workspace">
      <Permitted permission="workspace_read_settings" what="Reading the settings of this workspace">
        {!update.allowed && (
          <Notice>{`Changing the settings is not available to you. ${update.reason}`}</Notice>
        )}
        <QueryState query={settings} what="the settings">
          {({ name, notice_webhook_ids }) => (
            <>
              <WorkspaceName name={name} canChange={update.allowed} />
              <NoticeWebhooks ids={notice_webhook_ids} canChange={update.allowed} />
            </>
          )}
        </QueryState>
      </Permitted>
    </Card>
  );
}

function WorkspaceName({ name, canChange }: { name: Settings['name']; canChange: boolean }) {
  // Undefined until the user types, so that a name that somebody else has saved does not replace typed text.
  const [typed, setTyped] = useState<string>();
  const update = useUpdateSettings();
  const text = typed ?? name ?? '';
  const save = () =>
    update.mutate(
      { name: text.trim() || null },
      { onSuccess: () => setTyped((latest) => (latest === typed ? undefined : latest)) },
    );
  return (
    <Form onSubmit={save}>
      <AskBeforeLeaving when={typed !== undefined && typed !== (name ?? '')} />
      <TextField
        label="Name of the workspace"
        description="Shown where a workspace is chosen."
        value={text}
        isDisabled={!canChange}
        onChange={setTyped}
      />
      {canChange && (
        <div>
          <Button type="submit" isPending={update.isPending}>
            {update.isPending ? 'Saving …' : 'Save the name'}
          </Button>
        </div>
      )}
      {update.error !== null && <Failure error={update.error} />}
    </Form>
  );
}

/** Lists the webhooks that receive notices. Their names are shown only to users with `workspace_list_webhooks`. */
function NoticeWebhooks({ ids, canChange }: { ids: readonly string[]; canChange: boolean }) {
  const { data, error } = useWebhooks();
  const { allowed, reason } = usePermission('workspace_list_webhooks');
  const attach = useNoticeWebhook();
  const paths = usePaths();
  const entries = data?.map(({ id, name }) => ({ id, name })) ?? [];
  const names = new Map(entries.map(({ id, name }) => [id, name]));
  return (
    <section className="stack" aria-label="Notices">
      <h3>Webhooks that are called for notices</h3>
      <p className="muted">
        A notice reports that a webhook has failed for 10 minutes, has recovered or was disabled, or that
        messages could not be processed. A notice about a webhook is not sent to that webhook.
      </p>
      {ids.length === 0 && <p>None: a failing webhook is shown here only.</p>}
      {!allowed && ids.length > 0 && (
        <p>{`${ids.length} chosen. Their names are not available to you. ${reason}`}</p>
      )}
      {error !== null && <Failure error={error} />}
      {data?.length === 0 && <p>No webhook exists yet.</p>}
      {data !== undefined && (
        <AttachList
          things="webhooks for notices"
          attached={entries.filter(({ id }) => ids.includes(id))}
          others={entries.filter(({ id }) => !ids.includes(id))}
          linkTo={(id) => <Link to={paths.webhook(id)}>{names.get(id)}</Link>}
          pendingId={attach.isPending ? attach.variables.webhookId : undefined}
          onChange={canChange ? (webhookId, isOn) => attach.mutate({ webhookId, attach: isOn }) : undefined}
        />
      )}
      {attach.error !== null && <Failure error={attach.error} />}
    </section>
  );
}
