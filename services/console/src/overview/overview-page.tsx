import {
  Permitted,
  type TimeRange,
  timeRangeOf,
  timeRanges,
  useDeliveryStats,
  usePermission,
  useWebhooks,
} from '../api/index.js';
import { usePaths } from '../paths.js';
import { Card, Empty, Failure, LinkButton, Loading, Page, SelectField, useSearch } from '../ui/index.js';
import { DeliveryBars } from './delivery-bars.js';
import { Numbers } from './numbers.js';
import { summarize } from './summary.js';
import { WebhooksNeedingAttention } from './webhooks-needing-attention.js';
import './overview.css';

const names = ['range'] as const;

export function OverviewPage() {
  const { values, set } = useSearch(names);
  const range = timeRangeOf(values.range ?? null);
  const { allowed } = usePermission('delivery_read');
  const ranges = (
    <SelectField
      label="Time range"
      hideLabel
      value={range.name}
      options={timeRanges.map(({ name, label }) => ({ value: name, label }))}
      onChange={(name) => set({ range: name })}
    />
  );
  return (
    <Page title="Overview" actions={allowed ? ranges : undefined}>
      <Permitted permission="delivery_read" what="The overview">
        <Overview range={range} />
      </Permitted>
    </Page>
  );
}

function Overview({ range }: { range: TimeRange }) {
  const { data, error, refetch } = useDeliveryStats(range);
  const webhooks = useWebhooks();
  const summary = data && summarize(data.steps);
  // If there are neither webhooks nor deliveries in the time range, the page shows only `WebhooksNeedingAttention`,
  // which offers to create a webhook or says which roles can.
  const isNew = summary?.total === 0 && webhooks.data?.length === 0;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the numbers of your deliveries" />}
      {data !== undefined && summary !== undefined && !isNew && (
        <>
          <Numbers summary={summary} step={range.step} oldestOpenAt={data.oldest_open_at} />
          <Card title={`Deliveries, ${range.label.toLowerCase()}`}>
            {summary.total === 0 ? <NoDeliveries /> : <DeliveryBars steps={data.steps} step={range.step} />}
          </Card>
        </>
      )}
      <WebhooksNeedingAttention />
    </>
  );
}

function NoDeliveries() {
  const paths = usePaths();
  const canCreate = usePermission('workspace_create_webhook').allowed;
  const canFire = usePermission('workspace_publish_alert').allowed;
  return (
    <Empty
      title="No delivery in this time"
      action={
        <div className="row">
          {canCreate && (
            <LinkButton kind="primary" to={paths.newWebhook()}>
              Create a webhook
            </LinkButton>
          )}
          {canFire && <LinkButton to={paths.alertRules()}>Fire a test alert</LinkButton>}
        </div>
      }
    >
      Deliveries appear here when an alert rule fires that has a webhook attached. Choose a longer time range
      above{canCreate ? ', or make the first one' : ''}.
    </Empty>
  );
}
