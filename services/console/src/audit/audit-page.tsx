import type { AuditEvent } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { type AuditFilter, Permitted, useAlertRules, useAuditEvents, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { FilterBar } from '../shared/filter-bar.js';
import { type ChipTexts, chipsOf, timeTexts } from '../shared/filter-chips.js';
import { FilterSelect, wordOptions } from '../shared/filter-select.js';
import { describeEnd, LiveListState } from '../shared/live-list-state.js';
import { TimeFields } from '../shared/time-fields.js';
import { wordsOf } from '../shared/words.js';
import {
  AddressField,
  type Column,
  Empty,
  Page,
  RelativeTime,
  Table,
  useSearch,
  uuidFormat,
} from '../ui/index.js';
import { auditActionWords } from './audit-words.js';

const filterNames = ['action', 'resource_id', 'principal', 'since', 'until'] as const;
type FilterName = (typeof filterNames)[number];

export function AuditPage() {
  return (
    <Page title="Audit" lead="All changes with their authors and times. Values are not recorded.">
      <Permitted permission="audit_read" what="The list of changes">
        <Audit />
      </Permitted>
    </Page>
  );
}

function Audit() {
  const search = useSearch(filterNames);
  const { values, set } = search;
  const list = useAuditEvents(values as AuditFilter);
  const names = useNames();
  const authorOf = (id: string) => list.items.find(({ principal }) => principal === id)?.principal_name ?? id;
  const texts: ChipTexts<FilterName> = {
    action: (value) => wordsOf(auditActionWords, value) ?? value,
    resource_id: (value) => `of ${names.get(value) ?? value.slice(0, 8)}`,
    principal: (value) => `by ${authorOf(value)}`,
    ...timeTexts,
  };
  const chips = chipsOf(values, texts);
  return (
    <>
      <FilterBar search={search} chips={chips}>
        <FilterSelect search={search} name="action" label="Change" options={wordOptions(auditActionWords)} />
        <AddressField
          label="Id of the changed resource"
          format={uuidFormat}
          value={values.resource_id ?? ''}
          onChange={(resource_id) => set({ resource_id })}
        />
        <AddressField
          label="Author: issuer#subject, or system"
          value={values.principal ?? ''}
          onChange={(principal) => set({ principal })}
        />
        <TimeFields search={search} />
      </FilterBar>
      <LiveListState
        list={list}
        things="changes"
        isFiltered={chips.length > 0}
        empty={
          <Empty title="Nothing was changed yet">
            Changes of webhooks, rules, secrets and settings appear here, and redeliveries, dispatches and
            cancellations.
          </Empty>
        }
      >
        <AuditTable
          rows={list.items}
          names={names}
          values={values}
          onEndReached={list.loadMore}
          footer={describeEnd(list)}
        />
      </LiveListState>
    </>
  );
}

/** Returns the names of existing webhooks and rules, by id. */
function useNames(): ReadonlyMap<string, string> {
  const webhooks = useWebhooks();
  const rules = useAlertRules();
  return new Map([...(webhooks.data ?? []), ...(rules.data ?? [])].map(({ id, name }) => [id, name]));
}

interface AuditTableProps {
  rows: readonly AuditEvent[];
  names: ReadonlyMap<string, string>;
  /**
   * Active filters. A link in the column "By" opens the page with these filters and a filter for the principal of its
   * row.
   */
  values: Partial<Record<FilterName, string>>;
  onEndReached(): void;
  footer: string;
}

function AuditTable({ names, values, ...props }: AuditTableProps) {
  const paths = usePaths();
  const columns: Column<AuditEvent>[] = [
    {
      header: 'Change',
      width: 'minmax(0, 1.5fr)',
      narrow: 'line',
      cell: ({ action }) => wordsOf(auditActionWords, action) ?? action,
    },
    {
      header: 'Resource',
      width: 'minmax(0, 1.5fr)',
      narrow: 'line',
      cell: (event) => <Resource event={event} names={names} />,
    },
    {
      header: 'Fields',
      width: 'minmax(0, 2fr)',
      narrow: 'line',
      cell: ({ changed_fields }) => changed_fields.join(', '),
    },
    {
      header: 'By',
      width: 'minmax(0, 1fr)',
      cell: ({ principal, principal_name }) => (
        <Link to={paths.audit({ ...values, principal })} title={principal}>
          {principal_name}
        </Link>
      ),
    },
    {
      header: 'Request id',
      width: 'minmax(0, 1.5fr)',
      narrow: 'hide',
      cell: ({ request_id }) => request_id !== null && <code>{request_id}</code>,
    },
    { header: 'When', width: '120px', cell: ({ time }) => <RelativeTime at={time} /> },
  ];
  return <Table label="Changes" columns={columns} rowKey={({ id }) => id} {...props} />;
}

/**
 * Shows the name of the changed resource, or the beginning of its id. If the resource has a page, the text is a link.
 * Deleted webhooks and rules have no page.
 */
function Resource({ event, names }: { event: AuditEvent; names: ReadonlyMap<string, string> }) {
  const { resource_type, resource_id: id } = event;
  const paths = usePaths();
  const name = names.get(id) ?? id.slice(0, 8);
  switch (resource_type) {
    case 'webhook':
      return names.has(id) ? <Link to={paths.webhook(id)}>{name}</Link> : name;
    case 'alert_rule':
      return names.has(id) ? <Link to={paths.alertRule(id)}>{name}</Link> : name;
    case 'delivery':
      return <Link to={paths.delivery(id)}>{name}</Link>;
    case 'alert':
      return <Link to={paths.alert(id)}>{name}</Link>;
    case 'workspace_settings':
    case 'dead_letter':
      return <Link to={paths.settings()}>{resource_type === 'dead_letter' ? name : 'this workspace'}</Link>;
    default:
      return name;
  }
}
