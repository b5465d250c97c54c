import type { Webhook } from '@tocsin/client/browser';
import { Fragment } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { usePermission, useWebhook, useWebhookActions } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeleteButton } from '../shared/delete-button.js';
import { PauseOrSilence } from '../shared/pause-or-silence.js';
import { RecordPage } from '../shared/record-page.js';
import { Card, Facts, Failure, LinkButton, Notice, type PageHead, SwitchField } from '../ui/index.js';
import { AttachedRules } from './attached-rules.js';
import { describeOptions } from './delivery-options.js';
import { formatRate, hostOf } from './describe-webhook.js';
import { LatestDeliveries } from './latest-deliveries.js';
import { SavedTest } from './saved-test.js';
import { Signing } from './signing.js';
import './webhooks.css';
import { WebhookState } from './webhook-state.js';

export function WebhookPage() {
  const { webhookId = '' } = useParams();
  return (
    <RecordPage kind="webhook" query={useWebhook(webhookId, { pollMs: 20_000 })} head={headOf}>
      {(webhook) => (
        <Fragment key={webhook.id}>
          <SaveWarnings />
          <Destination webhook={webhook} />
          <AttachedRules webhook={webhook} />
          <SavedTest webhookId={webhook.id} />
          <LatestDeliveries webhookId={webhook.id} />
          <Signing webhook={webhook} />
        </Fragment>
      )}
    </RecordPage>
  );
}

function headOf(webhook: Webhook): PageHead {
  const lead = <WebhookState webhook={webhook} />;
  return { title: webhook.name, lead, actions: <Actions webhook={webhook} /> };
}

/** After a webhook was saved, shows the warnings that the API returned. */
function SaveWarnings() {
  const state: unknown = useLocation().state;
  const { warnings } = (state ?? {}) as { warnings?: unknown };
  if (!Array.isArray(warnings)) return null;
  return (
    <Notice tone={warnings.length === 0 ? 'good' : 'wait'}>
      <p role="status">{warnings.length === 0 ? 'Saved.' : 'Saved, with warnings:'}</p>
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <li key={String(warning)}>{String(warning)}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function Destination({ webhook }: { webhook: Webhook }) {
  const { id, url, headers, health, enabled, retry_on_timeout } = webhook;
  const permission = usePermission('webhook_update');
  const { update } = useWebhookActions();
  const isSaving = (field: string) => update.isPending && field in update.variables.changes;
  const headerNames = Object.keys(headers);
  return (
    <Card title="Destination">
      <Facts
        facts={[
          ['Address', hostOf(url)],
          ['Headers', headerNames.length === 0 ? 'none' : headerNames.join(', ')],
          ['Success, 24 h', formatRate(health.success_rate_24h)],
          ['Retry after a timeout', retry_on_timeout ? 'yes' : 'no'],
          ...describeOptions(webhook),
          ['Changed by', <ChangedBy key="changed" webhook={webhook} />],
        ]}
      />
      <SwitchField
        label={enabled ? 'Enabled' : 'Disabled: its deliveries are skipped'}
        isSelected={enabled}
        isDisabled={!permission.allowed || update.isPending}
        isSaving={isSaving('enabled')}
        onChange={(isOn) => update.mutate({ id, changes: { enabled: isOn } })}
      />
      <PauseOrSilence
        kind="pause"
        until={webhook.paused_until}
        isPending={isSaving('paused_until')}
        onChange={
          permission.allowed ? (paused_until) => update.mutate({ id, changes: { paused_until } }) : undefined
        }
      />
      {!permission.allowed && (
        <Notice>{`Changing this webhook is not available to you. ${permission.reason}`}</Notice>
      )}
      {update.error !== null && <Failure error={update.error} />}
    </Card>
  );
}

/**
 * Shows who changed the webhook last: the subject of the access token, with the issuer on hover. Users with
 * `audit_read` get a link to all changes of the webhook.
 */
function ChangedBy({ webhook: { id, last_updated_by } }: { webhook: Webhook }) {
  const { allowed } = usePermission('audit_read');
  const paths = usePaths();
  return (
    <>
      <span title={last_updated_by}>{last_updated_by.replace(/^.*#/, '')}</span>
      {allowed && (
        <>
          {' · '}
          <Link to={paths.audit({ resource_id: id })}>Changes of this webhook</Link>
        </>
      )}
    </>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const paths = usePaths();
  const update = usePermission('webhook_update');
  const remove = usePermission('webhook_delete');
  return (
    <>
      {update.allowed && (
        <LinkButton kind="primary" to={paths.editWebhook(webhook.id)}>
          Edit
        </LinkButton>
      )}
      {remove.allowed && <DeleteWebhook webhook={webhook} />}
    </>
  );
}

function DeleteWebhook({ webhook: { id, name } }: { webhook: Webhook }) {
  const { remove } = useWebhookActions();
  const navigate = useNavigate();
  const paths = usePaths();
  const onSuccess = () => navigate(paths.webhooks(), { replace: true });
  const force = isInUse(remove.error) || remove.variables?.force === true;
  // The error names the rules of a webhook in use, and says whether the webhook is called for notices.
  const uses = force
    ? {
        action: 'Detach and delete',
        effect: 'It is first detached from all alert rules, and from the notices of the workspace.',
      }
    : { effect: 'Its waiting deliveries fail. Its delivery records are kept.' };
  return (
    <DeleteButton
      name={name}
      {...uses}
      deletion={remove}
      onConfirm={() => remove.mutate({ id, force }, { onSuccess })}
    />
  );
}

/** Returns true for the 409 response to the deletion of a webhook that alert rules or notices use. */
function isInUse(error: Error | null): boolean {
  const { problem } = (error ?? {}) as { problem?: { alert_rules?: unknown } };
  return Array.isArray(problem?.alert_rules);
}
