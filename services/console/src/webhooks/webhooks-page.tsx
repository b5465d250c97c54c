import type { Webhook } from '@tocsin/client/browser';
import { Link } from 'react-router';
import { useWebhooks } from '../api/index.js';
import { usePaths } from '../paths.js';
import { ListPage, RowCount } from '../shared/list-page.js';
import { AddressField, type Column, RelativeTime, SelectField, Table, useSearch } from '../ui/index.js';
import './webhooks.css';
import { describeWebhook, formatRate, hostOf, stateOrder } from './describe-webhook.js';
import { WebhookState } from './webhook-state.js';

const filters = ['q', 'state'] as const;
const allStates = { value: '', label: 'All states' };
const stateOptions = [allStates, ...stateOrder.map((label) => ({ value: label, label }))];

export function WebhooksPage() {
  const webhooks = useWebhooks({ pollMs: 30_000 });
  const paths = usePaths();
  return (
    <ListPage
      title="Webhooks"
      lead="A webhook is a destination that alert rules call."
      kind="webhook"
      query={webhooks}
      permissions={{ list: 'workspace_list_webhooks', create: 'workspace_create_webhook' }}
      newPath={paths.newWebhook()}
      firstSteps="Create the first one: start from a ready-made template, check the preview, and send a test."
    >
      {(all) => <Webhooks all={all} />}
    </ListPage>
  );
}

function Webhooks({ all }: { all: readonly Webhook[] }) {
  const { values, set } = useSearch(filters);
  const { q = '', state = '' } = values;
  const wanted = q.trim().toLowerCase();
  const rows = all.filter(
    (webhook) =>
      (state === '' || describeWebhook(webhook).label === state) &&
      `${webhook.name} ${hostOf(webhook.url)}`.toLowerCase().includes(wanted),
  );
  return (
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
      <RowCount found={rows.length} total={all.length} kind="webhook" />
      <WebhookTable rows={rows} />
    </>
  );
}

function WebhookTable({ rows }: { rows: readonly Webhook[] }) {
  const paths = usePaths();
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
  return <Table label="Webhooks" columns={columns} rows={rows} rowKey={({ id }) => id} />;
}
