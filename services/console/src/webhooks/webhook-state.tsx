import type { Webhook } from '@tocsin/client/browser';
import { ElapsedTime, NextTime, StatusChip } from '../ui/index.js';
import { describeWebhook } from './describe-webhook.js';

/** Shows the state of a webhook and its reason, and for how long it has been failing or paused. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { label, tone, reason, since, until } = describeWebhook(webhook);
  const showsSince = since !== null && (label === 'Failing' || label === 'Paused');
  return (
    <span className="webhook-state">
      <StatusChip tone={tone}>{label}</StatusChip>
      {(reason !== null || showsSince) && (
        <span className="muted">
          {showsSince && (
            <>
              for <ElapsedTime since={since} />
              {until !== null && (
                <>
                  {webhook.paused?.reason === 'manual' ? ', ends' : ', next try'} <NextTime at={until} />
                </>
              )}
              {reason === null ? '' : ': '}
            </>
          )}
          {reason}
        </span>
      )}
    </span>
  );
}
