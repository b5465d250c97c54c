import type { Alert, CreateDispatch } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { type AlertFilter, Permitted, useAlertRules, useAlerts, usePermission } from '../api/index.js';
import { usePaths } from '../paths.js';
import { BulkJob } from '../shared/bulk-job.js';
import { FilterBar } from '../shared/filter-bar.js';
import { describeEnd, LiveListState } from '../shared/live-list-state.js';
import { timeChip } from '../shared/time-chip.js';
import { TimeFields } from '../shared/time-fields.js';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';
import {
  type Column,
  Empty,
  LinkButton,
  Notice,
  Page,
  RelativeTime,
  SelectField,
  Table,
  useSearch,
} from '../ui/index.js';
import { AlertOutcome, describeMeasurement, describeSummary } from './alert-words.js';

const filterNames = ['outcome', 'alert_rule_id', 'since', 'until'] as const;
type FilterName = (typeof filterNames)[number];

export function AlertsPage() {
  return (
    <Page title="Alerts" lead="Fired alerts of all rules, with their outcomes.">
      <Permitted permission="alert_read" what="The list of alerts">
        <Alerts />
      </Permitted>
    </Page>
  );
}

function Alerts() {
  const { values, set } = useSearch(filterNames);
  const { data: rules = [] } = useAlertRules();
  const deliveries = usePermission('delivery_read');
  const all = usePermission('alert_read_all');
  const list = useAlerts(values as AlertFilter);
  const ruleName = (id: string) => rules.find((rule) => rule.id === id)?.name ?? id.slice(0, 8);
  const texts: Record<FilterName, (value: string) => string> = {
    outcome: (value) => wordsOf(alertOutcomeWords, value)?.label ?? value,
    alert_rule_id: (value) => `rule ${ruleName(value)}`,
    since: (value) => timeChip('from', value),
    until: (value) => timeChip('before', value),
  };
  const chips = filterNames.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, text: texts[name](value) }];
  });
  const any = { value: '', label: 'Any' };
  return (
    <>
      {!all.allowed && (
        <Notice>{`Only the alerts that you published over the API are listed. To see all of them: ${all.reason}`}</Notice>
      )}
      {!deliveries.allowed && (
        <Notice>{`The deliveries of these alerts are not available to you. ${deliveries.reason}`}</Notice>
      )}
      <FilterBar
        chips={chips}
        onRemove={(name) => set({ [name]: undefined })}
        onClear={() => set(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
      >
        <SelectField
          label="Outcome"
          value={values.outcome ?? ''}
          options={[
            any,
            ...Object.entries(alertOutcomeWords).map(([value, { label }]) => ({ value, label })),
          ]}
          onChange={(outcome) => set({ outcome })}
        />
        <SelectField
          label="Alert rule"
          value={values.alert_rule_id ?? ''}
          options={[any, ...rules.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange={(alert_rule_id) => set({ alert_rule_id })}
        />
        <TimeFields since={values.since} until={values.until} onChange={set} />
      </FilterBar>
      <DispatchMatching
        filters={values}
        chips={chips.map(({ text }) => text)}
        isEmpty={list.isLoaded && list.items.length === 0}
      />
      <LiveListState list={list} things="alerts" empty={<NoAlerts isFiltered={chips.length > 0} />}>
        <AlertTable rows={list.items} onEndReached={list.loadMore} footer={describeEnd(list)} />
      </LiveListState>
    </>
  );
}

/** Outcomes of alerts without deliveries, which can be dispatched by hand. */
const dispatchable = new Set<string>(['over_quota', 'no_webhooks', 'rule_disabled', 'suppressed']);

interface DispatchMatchingProps {
  filters: Partial<Record<FilterName, string>>;
  chips: readonly string[];
  isEmpty: boolean;
}

/**
 * Dispatches all alerts that match the filter. The button is offered only if the filter selects alerts without
 * deliveries.
 */
function DispatchMatching({ filters, chips, isEmpty }: DispatchMatchingProps) {
  const { allowed, reason } = usePermission('delivery_redeliver');
  const isOffered = !isEmpty && dispatchable.has(filters.outcome ?? '');
  if (!allowed) return isOffered && <Notice>{`Dispatch by hand is not available to you. ${reason}`}</Notice>;
  return (
    <BulkJob
      kind="dispatches"
      request={isOffered ? (filters as CreateDispatch) : undefined}
      things="the alerts that match"
      chips={chips}
    >
      <p>The webhooks that the rules have now are called with the facts of these alerts.</p>
    </BulkJob>
  );
}

interface AlertTableProps {
  rows: readonly Alert[];
  onEndReached(): void;
  footer: string;
}

function AlertTable(props: AlertTableProps) {
  const paths = usePaths();
  const columns: Column<Alert>[] = [
    {
      header: 'Alert rule',
      width: 'minmax(0, 2fr)',
      narrow: 'line',
      cell: ({ alert_id, alert_rule_name }) => <Link to={paths.alert(alert_id)}>{alert_rule_name}</Link>,
    },
    { header: 'Outcome', width: '130px', cell: (alert) => <AlertOutcome alert={alert} /> },
    { header: 'Deliveries', width: 'minmax(0, 1fr)', narrow: 'hide', cell: describeSummary },
    { header: 'Model', width: 'minmax(0, 1fr)', narrow: 'hide', cell: ({ model_name }) => model_name },
    { header: 'Measurement', width: 'minmax(0, 2fr)', narrow: 'hide', cell: describeMeasurement },
    { header: 'Fired', width: '130px', cell: ({ fired_at }) => <RelativeTime at={fired_at} /> },
  ];
  return <Table label="Alerts" columns={columns} rowKey={({ alert_id }) => alert_id} {...props} />;
}

function NoAlerts({ isFiltered }: { isFiltered: boolean }) {
  const paths = usePaths();
  if (isFiltered)
    return <Empty title="No alert matches">Remove a filter above, or choose a longer time range.</Empty>;
  return (
    <Empty
      title="No alert has fired yet"
      action={
        <LinkButton kind="primary" to={paths.alertRules()}>
          Go to the alert rules
        </LinkButton>
      }
    >
      A monitor publishes an alert when a metric crosses the threshold of a rule. A test alert shows the same
      way.
    </Empty>
  );
}
