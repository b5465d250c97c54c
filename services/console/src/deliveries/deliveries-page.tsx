import {
  type DeliveryRow,
  type LiveList,
  Permitted,
  useAlertRules,
  useAnyDelivery,
  useDeliveries,
  useWebhooks,
} from '../api/index.js';
import { usePaths } from '../paths.js';
import { BulkJob } from '../shared/bulk-job.js';
import { DeliveryTable } from '../shared/delivery-table.js';
import { FilterBar } from '../shared/filter-bar.js';
import { chipsOf } from '../shared/filter-chips.js';
import { nameIn } from '../shared/filter-select.js';
import { LiveListState } from '../shared/live-list-state.js';
import { Empty, LinkButton, Page, useSearch } from '../ui/index.js';
import { FilterFields } from './filter-fields.js';
import {
  chipTexts,
  type FilterValues,
  filterNames,
  isListOnly,
  toCancellation,
  toFilter,
  toRedelivery,
} from './filters.js';

export function DeliveriesPage() {
  return (
    <Page title="Deliveries" lead="Each alert sent to one webhook. New deliveries appear automatically.">
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
  const names = { webhook: nameIn(webhooks.data), alertRule: nameIn(rules.data) };
  const chips = chipsOf(search.values, chipTexts(names));
  return (
    <>
      <FilterBar search={search} chips={chips}>
        <FilterFields search={search} webhooks={webhooks.data} rules={rules.data} />
      </FilterBar>
      <Permitted permission="delivery_redeliver" what="Redelivery">
        <Jobs filters={search.values} chips={chips.map(({ text }) => text)} list={list} />
      </Permitted>
      <LiveListState list={list} things="deliveries" isFiltered={chips.length > 0} empty={<NoDeliveries />}>
        <DeliveryTable list={list} />
      </LiveListState>
    </>
  );
}

interface JobsProps {
  filters: FilterValues;
  /** The active filters as text. */
  chips: readonly string[];
  /** The deliveries that match the filters. */
  list: LiveList<DeliveryRow>;
}

/** Buttons that redeliver or cancel all deliveries that match the filters. */
function Jobs({ filters, chips, list }: JobsProps) {
  const redelivery = toRedelivery(filters);
  const cancellation = toCancellation(filters);
  const isEmpty = list.items.length === 0;
  const canRedeliver = useCanRedeliver(filters, list);
  const scope = (status: string, all: boolean | undefined) =>
    all ? `all ${status} deliveries` : `the ${status} deliveries that match`;
  return (
    <>
      {isListOnly(filters) && !isEmpty && (
        <p className="muted">
          Deliveries found by error, label or model are redelivered one by one: remove that filter to
          redeliver or cancel everything that matches.
        </p>
      )}
      <BulkJob
        kind="redeliveries"
        request={canRedeliver ? redelivery : undefined}
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
    </>
  );
}

/**
 * Returns true if the button for a bulk redelivery is useful. With a filter for the state, the list must contain a
 * delivery. Without such a filter, the list must contain a failed delivery, because the job then redelivers only failed
 * deliveries. If no loaded delivery has failed and more deliveries can be loaded, a request searches for a failed one.
 * No request is sent if redelivery jobs do not support the filters.
 */
function useCanRedeliver(filters: FilterValues, { items, hasMore }: LiveList<DeliveryRow>): boolean {
  const isAnyState = filters.status === undefined;
  const isListed = isAnyState ? items.some(({ status }) => status === 'failed') : items.length > 0;
  const canBeOlder = isAnyState && !isListed && hasMore && !isListOnly(filters);
  const isOlder = useAnyDelivery({ ...toFilter(filters), status: 'failed' }, { enabled: canBeOlder });
  return isListed || isOlder;
}

function NoDeliveries() {
  const paths = usePaths();
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
