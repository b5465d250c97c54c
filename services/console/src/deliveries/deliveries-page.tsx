import { Permitted, useAlertRules, useDeliveries, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { BulkJob } from '../shared/bulk-job.js';
import { DeliveryTable } from '../shared/delivery-table.js';
import { FilterBar } from '../shared/filter-bar.js';
import { LiveListState } from '../shared/live-list-state.js';
import { Empty, LinkButton, Page, useSearch } from '../ui/index.js';
import { FilterFields } from './filter-fields.js';
import {
  chipsOf,
  type FilterValues,
  filterNames,
  toCancellation,
  toFilter,
  toRedelivery,
} from './filters.js';

export function DeliveriesPage() {
  return (
    <Page title="Deliveries" lead="One alert for one webhook. New ones appear by themselves.">
      <Permitted permission="delivery_read" what="The list of deliveries">
        <Deliveries />
      </Permitted>
    </Page>
  );
}

function Deliveries() {
  const search = useSearch(filterNames);
  const webhooks = useWebhooks();
  const rules = useAlertRules();
  const list = useDeliveries(toFilter(search.values));
  const nameIn = (items: readonly { id: string; name: string }[] | undefined) => (id: string) =>
    items?.find((item) => item.id === id)?.name ?? id.slice(0, 8);
  const chips = chipsOf(search.values, { webhook: nameIn(webhooks.data), alertRule: nameIn(rules.data) });
  const clear = () => search.set(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <>
      <FilterBar chips={chips} onRemove={(name) => search.set({ [name]: undefined })} onClear={clear}>
        <FilterFields search={search} webhooks={webhooks.data ?? []} rules={rules.data ?? []} />
      </FilterBar>
      <Jobs
        filters={search.values}
        chips={chips.map(({ text }) => text)}
        isEmpty={list.isLoaded && list.items.length === 0}
      />
      <LiveListState list={list} things="deliveries" empty={<NoDeliveries isFiltered={chips.length > 0} />}>
        <DeliveryTable list={list} />
      </LiveListState>
    </>
  );
}

interface JobsProps {
  filters: FilterValues;
  /** The active filters as text. */
  chips: readonly string[];
  /** True if no delivery matches. */
  isEmpty: boolean;
}

/** Buttons that redeliver or cancel all deliveries that match the filters. */
function Jobs({ filters, chips, isEmpty }: JobsProps) {
  const redelivery = toRedelivery(filters);
  const cancellation = toCancellation(filters);
  const scope = (status: string, all: boolean | undefined) =>
    all ? `all ${status} deliveries` : `the ${status} deliveries that match`;
  return (
    <Permitted permission="delivery_redeliver" what="Redelivery">
      <BulkJob
        kind="redeliveries"
        request={isEmpty ? undefined : redelivery}
        things={scope(redelivery?.status ?? 'failed', redelivery?.all)}
        chips={chips}
      >
        <p>
          Each delivery is sent again and keeps its id. A destination that already received an alert receives
          it a second time.
        </p>
      </BulkJob>
      <BulkJob
        kind="cancellations"
        request={isEmpty ? undefined : cancellation}
        things={scope('open', cancellation?.all)}
        chips={chips}
      >
        <p>
          Waiting and queued deliveries are skipped without being sent. A delivery that is being sent now is
          not cancelled.
        </p>
      </BulkJob>
    </Permitted>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  const paths = usePaths();
  if (isFiltered)
    return <Empty title="No delivery matches">Remove a filter above, or choose a longer time range.</Empty>;
  return (
    <Empty
      title="Nothing was delivered yet"
      action={
        <LinkButton kind="primary" to={paths.alertRules()}>
          Go to the alert rules
        </LinkButton>
      }
    >
      When an alert rule fires, a delivery is created for each attached webhook. Create a webhook, attach it
      to a rule, and fire a test alert.
    </Empty>
  );
}
