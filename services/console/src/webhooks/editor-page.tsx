import type { Tagged, Webhook } from '@tocsin/client/browser';
import { useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { asConflict, Permitted, useWebhook, useWebhookActions } from '../api/index.js';
import { usePaths } from '../paths.js';
import { Failure, Loading, Page } from '../ui/index.js';
import { WebhookEditor } from './webhook-editor.js';
import { emptyForm, toCreate, toForm, toPatch, type WebhookForm } from './webhook-form.js';

/** Page on which a user creates a webhook. */
export function NewWebhookPage() {
  return (
    <Page
      title="New webhook"
      lead="Write a template for the body that the destination receives. The preview shows the result."
    >
      <Permitted permission="workspace_create_webhook" what="Creating a webhook">
        <NewWebhook />
      </Permitted>
    </Page>
  );
}

function NewWebhook() {
  const { create } = useWebhookActions();
  const opened = useOpenSaved();
  const paths = usePaths();
  return (
    <WebhookEditor
      initial={emptyForm}
      isNew
      cancelTo={paths.webhooks()}
      isSaving={create.isPending || create.isSuccess}
      error={create.error}
      onSave={(form) => create.mutate(toCreate(form), { onSuccess: opened })}
    />
  );
}

/** Page on which a user changes a webhook. */
export function EditWebhookPage() {
  const { webhookId = '' } = useParams();
  const { data } = useWebhook(webhookId);
  return (
    <Page title={data === undefined ? 'Edit the webhook' : `Edit ${data.name}`}>
      <Permitted permission="webhook_update" what="Changing this webhook">
        <EditWebhook webhookId={webhookId} key={webhookId} />
      </Permitted>
    </Page>
  );
}

function EditWebhook({ webhookId }: { webhookId: string }) {
  const { data, error, refetch } = useWebhook(webhookId);
  if (data !== undefined) return <EditLoaded first={data} />;
  if (error === null) return <Loading what="the webhook" />;
  return <Failure error={error} onRetry={() => void refetch()} />;
}

/**
 * Editor of a loaded webhook. `first` is the version that was loaded when the page opened. Versions that are fetched
 * later do not overwrite unsaved changes.
 */
function EditLoaded({ first }: { first: Tagged<Webhook> }) {
  const [loaded, setLoaded] = useState(first);
  const { update } = useWebhookActions();
  const opened = useOpenSaved();
  const paths = usePaths();
  const conflict = asConflict<Webhook>(update.error);
  const before = useMemo(() => toForm(loaded), [loaded]);
  const save = (form: WebhookForm, seen: string | undefined) => {
    const request = {
      id: loaded.id,
      changes: toPatch(form, before),
      ...(seen === undefined ? {} : { seen }),
    };
    update.mutate(request, { onSuccess: opened });
  };
  return (
    <WebhookEditor
      initial={before}
      isNew={false}
      cancelTo={paths.webhook(loaded.id)}
      isSaving={update.isPending || update.isSuccess}
      error={update.error}
      onSave={(form) => save(form, loaded.etag)}
      onOverwrite={(form) => save(form, undefined)}
      onDiscard={() => {
        if (conflict !== undefined) setLoaded(conflict.current);
        update.reset();
      }}
    />
  );
}

/**
 * Opens the page of a saved webhook and passes the warnings of the API to it. The page replaces the editor in the
 * history of the browser, so that `AskBeforeLeaving` does not ask.
 */
function useOpenSaved() {
  const navigate = useNavigate();
  const paths = usePaths();
  return ({ id, warnings }: { id: string; warnings: readonly string[] }) =>
    navigate(paths.webhook(id), { replace: true, state: { warnings } });
}
