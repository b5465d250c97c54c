import type { Alert } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { Permitted, useAlertRules, useAlerts, usePermission } from '../api/index.js';
import { usePaths } from '../paths.js';
import { AlertSearchFields } from '../shared/alert-search-fields.js';
import { BulkJob } from '../shared/bulk-job.js';
import { FilterBar } from '../shared/filter-bar.js';
import { chipsOf } from '../shared/filter-chips.js';
import { FilterSelect, namedOptions, nameIn, wordOptions } from '../shared/filter-select.js';
import { describeEnd, LiveListState } from '../shared/live-list-state.js';
import { TimeFields } from '../shared/time-fields.js';
import { alertOutcomeWords } from '../shared/words.js';
import { type Column, Empty, LinkButton, Notice, Page, RelativeTime, Table, useSearch } from '../ui/index.js';
import { AlertOutcome, describeMeasurement, describeSummary } from './alert-words.js';
import {
  chipTexts,
  type FilterValues,
  filterNames,
  isDispatchable,
  toDispatch,
  toFilter,
} from './filters.js';

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
  const search = useSearch(filterNames);
  const { values } = search;
  const { data: rules } = useAlertRules();
  const deliveries = usePermission('delivery_read');
  const all = usePermission('alert_read_all');
  const list = useAlerts(toFilter(values));
  const chips = chipsOf(values, chipTexts(nameIn(rules)));
  return (
    <>
      {!all.allowed && (
        <Notice>{`Only the alerts that you published over the API are listed. Seeing all of them is not available to you. ${all.reason}`}</Notice>
      )}
      {!deliveries.allowed && (
        <Notice>{`The deliveries of these alerts are not available to you. ${deliveries.reason}`}</Notice>
      )}
      <FilterBar search={search} chips={chips}>
        <FilterSelect
          search={search}
          name="outcome"
          label="Outcome"
          options={wordOptions(alertOutcomeWords)}
        />
        <FilterSelect
          search={search}
          name="alert_rule_id"
          label="Alert rule"
          options={namedOptions(rules, values.alert_rule_id)}
        />
        <AlertSearchFields search={search} />
        <TimeFields search={search} />
      </FilterBar>
      <DispatchMatching
        filters={values}
        chips={chips.map(({ text }) => text)}
        isEmpty={list.isLoaded && list.items.length === 0}
      />
      <LiveListState list={list} things="alerts" isFiltered={chips.length > 0} empty={<NoAlerts />}>
        <AlertTable rows={list.items} onEndReached={list.loadMore} footer={describeEnd(list)} />
      </LiveListState>
    </>
  );
}

interface DispatchMatchingProps {
  filters: FilterValues;
  chips: readonly string[];
  isEmpty: boolean;
}

/**
 * Shows the dispatch jobs, and a button that dispatches all alerts that match the filters. The button is shown only if
 * all matching alerts can be dispatched by hand, and dispatch jobs support all active filters.
 */
function DispatchMatching({ filters, chips, isEmpty }: DispatchMatchingProps) {
  const { allowed, reason } = usePermission('delivery_redeliver');
  const isExpected = !isEmpty && isDispatchable(filters);
  if (!allowed) return isExpected && <Notice>{`Dispatch by hand is not available to you. ${reason}`}</Notice>;
  const request = isEmpty ? undefined : toDispatch(filters);
  return (
    <>
      {isExpected && request === undefined && (
        <p className="muted">
          Alerts found by label or model are dispatched one by one: remove that filter to dispatch everything
          that matches.
        </p>
      )}
      <BulkJob kind="dispatches" request={request} things="the alerts that match" chips={chips}>
        <p>The webhooks that the rules have now are called with the facts of these alerts.</p>
      </BulkJob>
    </>
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
      width: 'minmax(0, 1.7fr)',
      narrow: 'line',
      cell: ({ alert_id, alert_rule_name }) => <Link to={paths.alert(alert_id)}>{alert_rule_name}</Link>,
    },
    { header: 'Outcome', width: '130px', cell: (alert) => <AlertOutcome alert={alert} /> },
    { header: 'Deliveries', width: 'minmax(0, 1.7fr)', narrow: 'last', cell: describeSummary },
    { header: 'Model', width: 'minmax(0, 1fr)', narrow: 'hide', cell: ({ model_name }) => model_name },
    { header: 'Measurement', width: 'minmax(0, 1.8fr)', narrow: 'hide', cell: describeMeasurement },
    { header: 'Fired', width: '130px', cell: ({ fired_at }) => <RelativeTime at={fired_at} /> },
  ];
  return <Table label="Alerts" columns={columns} rowKey={({ alert_id }) => alert_id} {...props} />;
}

function NoAlerts() {
  const paths = usePaths();
  const rules = usePermission('workspace_list_alert_rules');
  const all = usePermission('alert_read_all');
  return (
    <Empty
      title={all.allowed ? 'No alert has fired yet' : 'You have published no alert yet'}
      action={
        rules.allowed && (
          <LinkButton kind="primary" to={paths.alertRules()}>
            Go to the alert rules
          </LinkButton>
        )
      }
    >
      A monitor publishes an alert when a metric crosses the threshold of a rule. A test alert appears here
      too.
    </Empty>
  );
}
