import type { DeliveryWithAttempts as Delivery } from '@tocsin/client/browser';
import { Link, useParams } from 'react-router';
import { Permitted, useDelivery, useDeliveryActions, useWebhook } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeliveryStatus } from '../shared/delivery-status.js';
import { RecordPage } from '../shared/record-page.js';
import { RuleLink } from '../shared/rule-link.js';
import { pauseReasonWords, waitingReasonWords, wordsOf } from '../shared/words.js';
import {
  Button,
  Card,
  CodeBlock,
  ConfirmButton,
  ElapsedTime,
  ExactTime,
  Facts,
  Failure,
  Notice,
  type PageHead,
  RelativeTime,
  useNow,
} from '../ui/index.js';
import { AttemptTimeline } from './attempt-timeline.js';
import { describeMissingAttempts } from './missing-attempts.js';

export function DeliveryPage() {
  const { deliveryId = '' } = useParams();
  return (
    <RecordPage kind="delivery" query={useDelivery(deliveryId)} head={headOf}>
      {(delivery) => <Record delivery={delivery} />}
    </RecordPage>
  );
}

function headOf({ webhook_name }: Delivery): PageHead {
  return { title: `Delivery to ${webhook_name}` };
}

function Record({ delivery }: { delivery: Delivery }) {
  const paths = usePaths();
  const { id, status, destination, created_at, attempts_made, first_succeeded_at, attempts } = delivery;
  const missing = describeMissingAttempts(delivery);
  return (
    <>
      <Card>
        <div className="row">
          <DeliveryStatus status={status} />
          <span>{summaryOf(delivery)}</span>
        </div>
        <NextAttempt delivery={delivery} />
        <Facts
          facts={[
            ['Destination', destination],
            [
              'Webhook',
              <Link key="webhook" to={paths.webhook(delivery.webhook_id)}>
                {delivery.webhook_name}
              </Link>,
            ],
            ['Alert rule', <RuleLink key="rule" id={delivery.alert_rule_id} />],
            [
              'Alert',
              <Link key="alert" to={paths.alert(delivery.alert_id)}>
                {delivery.alert_id}
              </Link>,
            ],
            ['Accepted', <ExactTime key="accepted" at={created_at} />],
            ['First success', first_succeeded_at && <ExactTime key="success" at={first_succeeded_at} />],
            ['Delivery id', <code key="id">{id}</code>],
          ]}
        />
        {delivery.rendered !== null && (
          <CodeBlock label="Rendered text (not sent, because it is not JSON)" text={delivery.rendered} />
        )}
        <Permitted permission="delivery_redeliver" what="Redelivery">
          <Actions delivery={delivery} />
        </Permitted>
      </Card>
      <h2>{attempts_made === 1 ? '1 attempt' : `${attempts_made} attempts`}</h2>
      {missing !== undefined && <Notice>{missing}</Notice>}
      {(attempts.length > 0 || attempts_made === 0) && <AttemptTimeline attempts={attempts} />}
    </>
  );
}

/** Shows why the delivery waits, and the time of its next attempt. Shows nothing for a delivery that does not wait. */
function NextAttempt({ delivery }: { delivery: Delivery }) {
  const { next_attempt_at, waiting_reason, webhook_id } = delivery;
  const now = useNow();
  if (waiting_reason === null) return null;
  return (
    <Notice tone="wait">
      {waiting_reason === 'paused' ? (
        <PauseReason webhookId={webhook_id} />
      ) : (
        <p>{wordsOf(waitingReasonWords, waiting_reason) ?? `It waits: ${waiting_reason}.`}</p>
      )}
      {next_attempt_at !== null && (
        <p>
          {Date.parse(next_attempt_at) > now ? (
            <>
              Its next attempt is <RelativeTime at={next_attempt_at} />, at <ExactTime at={next_attempt_at} />
              .
            </>
          ) : (
            <>
              It has been due for <ElapsedTime since={next_attempt_at} />, since{' '}
              <ExactTime at={next_attempt_at} />.
            </>
          )}
        </p>
      )}
    </Notice>
  );
}

/** Shows why the webhook is paused. Until the webhook is loaded, shows a text with all possible reasons. */
function PauseReason({ webhookId }: { webhookId: string }) {
  const { data } = useWebhook(webhookId);
  const reason = data?.paused && wordsOf(pauseReasonWords, data.paused.reason);
  return <p>{reason ? `Its webhook is paused: ${reason}.` : waitingReasonWords.paused}</p>;
}

/** Two buttons: one sends an ended or waiting delivery now, the other cancels a waiting or queued delivery. */
function Actions({ delivery: { id, status, waiting_reason } }: { delivery: Delivery }) {
  const { redeliver, cancel } = useDeliveryActions(id);
  const isOnItsWay = status === 'sending' || status === 'queued';
  // A redelivery moves the next attempt of a waiting delivery to now, but does not end the pause of its webhook.
  const sendLabel = waiting_reason === 'paused' ? 'Try after the pause' : 'Try now';
  const label = status === 'waiting' ? sendLabel : 'Redeliver';
  const error = redeliver.error ?? cancel.error;
  return (
    <>
      <div className="row">
        <Button
          kind="primary"
          isPending={redeliver.isPending || isOnItsWay}
          onPress={() => redeliver.mutate()}
        >
          {redeliver.isPending ? 'Redelivering …' : label}
        </Button>
        {(status === 'waiting' || status === 'queued') && (
          <ConfirmButton
            kind="danger"
            title="Cancel this delivery?"
            question="It is skipped without being sent. It can be redelivered later."
            action="Cancel the delivery"
            isPending={cancel.isPending}
            onConfirm={() => cancel.mutate()}
          >
            {cancel.isPending ? 'Cancelling …' : 'Cancel the delivery'}
          </ConfirmButton>
        )}
        {isOnItsWay && (
          <span className="muted">
            This delivery is in progress. It can be redelivered when it has ended.
          </span>
        )}
      </div>
      {error !== null && <Failure error={error} />}
    </>
  );
}

function summaryOf({ status, error, likely_cause }: Delivery): string {
  if (status === 'succeeded') return 'It arrived.';
  return [error, likely_cause].filter((text) => text !== null).join(' ');
}
