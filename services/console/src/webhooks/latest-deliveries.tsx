import { Link } from 'react-router';
import { Permitted, useDeliveries } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeliveryStatus, resultOf } from '../shared/delivery-status.js';
import { LiveListState } from '../shared/live-list-state.js';
import { Card, LinkButton, RelativeTime } from '../ui/index.js';

const shown = 10;

/** Lists the newest deliveries of a webhook, and polls for new deliveries. */
export function LatestDeliveries({ webhookId }: { webhookId: string }) {
  return (
    <Card title="Latest deliveries">
      <Permitted permission="delivery_read" what="The list of deliveries">
        <Deliveries webhookId={webhookId} />
      </Permitted>
    </Card>
  );
}

function Deliveries({ webhookId }: { webhookId: string }) {
  const paths = usePaths();
  const deliveries = useDeliveries({ webhook_id: webhookId }, { pollMs: 10_000 });
  const items = deliveries.items.slice(0, shown);
  const none = (
    <p className="muted">Nothing was delivered yet. Fire a test alert on the page of an alert rule.</p>
  );
  return (
    <LiveListState list={deliveries} things="deliveries" isFiltered={false} empty={none}>
      <ul className="lines" aria-label="Latest deliveries">
        {items.map((delivery) => (
          <li key={delivery.id}>
            <Link to={paths.delivery(delivery.id)}>
              <RelativeTime at={delivery.created_at} />
            </Link>
            <DeliveryStatus status={delivery.status} />
            <span>{resultOf(delivery)}</span>
            {delivery.attempts_made > 1 && (
              <span className="muted">{`${delivery.attempts_made} attempts`}</span>
            )}
          </li>
        ))}
      </ul>
      <div className="row">
        <LinkButton to={paths.deliveries({ webhook_id: webhookId })}>
          All deliveries of this webhook
        </LinkButton>
        {items.some(({ status }) => status === 'failed') && (
          <LinkButton to={paths.deliveries({ webhook_id: webhookId, status: 'failed' })}>
            Failed deliveries
          </LinkButton>
        )}
      </div>
    </LiveListState>
  );
}
