import type { Webhook } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { Permitted, usePermission, useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import {
  AddressField,
  type Column,
  Empty,
  Failure,
  LinkButton,
  Loading,
  Notice,
  Page,
  RelativeTime,
  SelectField,
  Table,
  useSearch,
} from '../ui/index.js';
import './webhooks.css';
import { describeWebhook, formatRate, hostOf, stateOrder } from './describe-webhook.js';
import { WebhookState } from './webhook-state.js';

const filters = ['q', 'state'] as const;
const allStates = { value: '', label: 'All states' };
const stateOptions = [allStates, ...stateOrder.map((label) => ({ value: label, label }))];

export function WebhooksPage() {
  const create = usePermission('workspace_create_webhook');
  return (
    <Page
      title="Webhooks"
      lead="A webhook is a destination that alert rules call."
      actions={create.allowed ? <NewWebhook /> : undefined}
    >
      <Permitted permission="workspace_list_webhooks" what="The list of webhooks">
        {!create.allowed && <Notice>{`Creating webhooks is not available to you. ${create.reason}`}</Notice>}
        <Webhooks canCreate={create.allowed} />
      </Permitted>
    </Page>
  );
}

function NewWebhook() {
  return (
    <LinkButton kind="primary" to={usePaths().newWebhook()}>
      New webhook
    </LinkButton>
  );
}

function Webhooks({ canCreate }: { canCreate: boolean }) {
  const { values, set } = useSearch(filters);
  const { data, error, refetch } = useWebhooks({ pollMs: 30_000 });
  const { q = '', state = '' } = values;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the webhooks" />}
      {data?.length === 0 && (
        <Empty title="No webhooks yet" action={canCreate ? <NewWebhook /> : undefined}>
          {canCreate
            ? 'Create the first one: start from a ready-made template, check the preview, and send a test.'
            : 'Users with the role editor or admin can create one.'}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <div className="list-filters">
            <AddressField
              label="Search by name or host"
              type="search"
              value={q}
              onChange={(text) => set({ q: text })}
            />
            <SelectField
              label="State"
              value={state}
              options={stateOptions}
              onChange={(value) => set({ state: value })}
            />
          </div>
          <WebhookTable all={data} search={q} state={state} />
        </>
      )}
    </>
  );
}

interface WebhookTableProps {
  all: readonly Webhook[];
  search: string;
  state: string;
}

function WebhookTable({ all, search, state }: WebhookTableProps) {
  const paths = usePaths();
  const wanted = search.trim().toLowerCase();
  const rows = all.filter(
    (webhook) =>
      (state === '' || describeWebhook(webhook).label === state) &&
      `${webhook.name} ${hostOf(webhook.url)}`.toLowerCase().includes(wanted),
  );
  const columns: Column<Webhook>[] = [
    {
      header: 'Name',
      width: 'minmax(12rem, 3fr)',
      narrow: 'line',
      cell: ({ id, name, url }) => (
        <>
          <Link to={paths.webhook(id)}>{name}</Link>
          <div className="muted">{hostOf(url)}</div>
        </>
      ),
    },
    {
      header: 'State',
      width: 'minmax(12rem, 4fr)',
      narrow: 'line',
      cell: (webhook) => <WebhookState webhook={webhook} />,
    },
    {
      header: 'Success, 24 h',
      width: '7rem',
      narrow: 'label',
      cell: ({ health }) => (
        <span title="Share of deliveries that succeeded in the last 24 hours">
          {formatRate(health.success_rate_24h)}
        </span>
      ),
    },
    {
      header: 'Changed',
      width: '8rem',
      narrow: 'hide',
      cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
    },
  ];
  const count = rows.length === all.length ? `${all.length}` : `${rows.length} of ${all.length}`;
  return (
    <>
      <p className="muted" role="status">{`${count} ${all.length === 1 ? 'webhook' : 'webhooks'}`}</p>
      <Table label="Webhooks" columns={columns} rows={rows} rowKey={({ id }) => id} />
    </>
  );
}
