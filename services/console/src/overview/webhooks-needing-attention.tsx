import type { Webhook } from '@tocsin/client/browser';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { QueryState } from '../shared/query-state.js';
import { pauseReasonWords, wordsOf } from '../shared/words.js';
import { Card, ElapsedTime, Empty, LinkButton, NextTime, Notice, StatusChip } from '../ui/index.js';
import { rankByAttention } from './rank-by-attention.js';
import { formatPercent } from './summary.js';

const shown = 10;

/** Lists the webhooks that need attention, each with the reason why. */
export function WebhooksNeedingAttention() {
  const webhooks = useWebhooks({ pollMs: 30_000 });
  if (webhooks.data?.length === 0) return <NoWebhooks />;
  return (
    <Card title="Webhooks that need attention">
      <QueryState query={webhooks} what="the webhooks">
        {(data) => <WebhookList webhooks={rankByAttention(data)} />}
      </QueryState>
    </Card>
  );
}

function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const paths = usePaths();
  return (
    <>
      {webhooks.length === 0 && <p>No webhook needs attention.</p>}
      <ol className="webhooks-needing-attention">
        {webhooks.slice(0, shown).map((webhook) => (
          <li key={webhook.id}>
            <div className="row">
              <Link to={paths.webhook(webhook.id)}>{webhook.name}</Link>
              <State webhook={webhook} />
              <DeliveriesOf webhook={webhook} />
            </div>
            <p className="muted">
              <Reason webhook={webhook} />
            </p>
          </li>
        ))}
      </ol>
      {webhooks.length > shown && <Link to={paths.webhooks()}>{`${webhooks.length - shown} more`}</Link>}
    </>
  );
}

/**
 * Link to the failed deliveries of the webhook. If none has failed in the last 24 hours, it opens all deliveries of the
 * webhook.
 */
function DeliveriesOf({ webhook: { id, health } }: { webhook: Webhook }) {
  const paths = usePaths();
  const hasFailed = (health.success_rate_24h ?? 1) < 1;
  return (
    <Link to={paths.deliveries({ webhook_id: id, status: hasFailed ? 'failed' : undefined })}>
      {hasFailed ? 'failed deliveries' : 'deliveries'}
    </Link>
  );
}

function State({ webhook: { health, undecryptable } }: { webhook: Webhook }) {
  if (undecryptable) return <StatusChip tone="bad">Cannot be decrypted</StatusChip>;
  if (health.state === 'paused') return <StatusChip tone="wait">Paused</StatusChip>;
  if (health.state === 'failing') return <StatusChip tone="bad">Failing</StatusChip>;
  return <StatusChip tone="wait">Some failures</StatusChip>;
}

function Reason({ webhook: { paused, health, undecryptable } }: { webhook: Webhook }): ReactNode {
  const { last_error, success_rate_24h, since } = health;
  const rate =
    success_rate_24h === null || success_rate_24h === 1
      ? ''
      : ` ${formatPercent(success_rate_24h)} of the deliveries of the last 24 hours succeeded.`;
  if (undecryptable)
    return 'Its stored values cannot be decrypted: an operator has to add the key to SECRETS_KEYS.';
  if (paused !== null) {
    return (
      <>
        For <ElapsedTime since={paused.since} />, because{' '}
        {wordsOf(pauseReasonWords, paused.reason) ?? paused.reason}
        {paused.error === null ? '.' : `: ${paused.error}`} The next request is sent{' '}
        <NextTime at={paused.until} />.{rate}
      </>
    );
  }
  return (
    <>
      {health.state === 'failing' && since !== null && (
        <>
          For <ElapsedTime since={since} />:{' '}
        </>
      )}
      {last_error?.error}
      {rate}
    </>
  );
}

function NoWebhooks() {
  const paths = usePaths();
  const create = usePermission('workspace_create_webhook');
  if (!create.allowed)
    return <Notice>{`No webhook exists yet. Creating one is not available to you. ${create.reason}`}</Notice>;
  return (
    <Empty
      title="No webhook yet"
      action={
        <LinkButton kind="primary" to={paths.newWebhook()}>
          Create a webhook
        </LinkButton>
      }
    >
      A webhook is a destination with a template for the messages that it receives. Create one from a
      ready-made template, attach it to an alert rule, and fire a test alert.
    </Empty>
  );
}
