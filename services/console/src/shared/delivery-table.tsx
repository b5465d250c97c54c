import type { Delivery } from '@tocsin/client/browser';
import { Link } from 'react-router';
import type { DeliveryRow, LiveList } from '../api/index.js';
import { usePaths } from '../paths.js';
import { type Column, NextTime, RelativeTime, Table } from '../ui/index.js';
import { DeliveryStatus, resultOf } from './delivery-status.js';
import { describeEnd } from './live-list-state.js';

type Shown = Pick<DeliveryRow, 'id' | 'webhook_name' | 'status' | 'attempts_made'>;

/** These three columns are part of each table of deliveries. */
const webhook: Column<Shown> = {
  header: 'Webhook',
  width: 'minmax(0, 2fr)',
  narrow: 'line',
  cell: ({ id, webhook_name }) => <DeliveryLink id={id} name={webhook_name} />,
};
const state: Column<Shown> = {
  header: 'State',
  width: '100px',
  cell: ({ status }) => <DeliveryStatus status={status} />,
};
const attempts: Column<Shown> = {
  header: 'Attempts',
  width: '80px',
  narrow: 'hide',
  cell: ({ attempts_made }) => attempts_made,
};

const listColumns: Column<DeliveryRow>[] = [
  webhook,
  state,
  { header: 'Result', width: 'minmax(0, 1.5fr)', cell: resultOf },
  { header: 'Destination', width: 'minmax(0, 2fr)', narrow: 'hide', cell: ({ destination }) => destination },
  attempts,
  { header: 'Accepted', width: '130px', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
];

/** Lists deliveries, newest first. Scrolling to the end loads the next page. */
export function DeliveryTable({ list }: { list: LiveList<DeliveryRow> }) {
  return (
    <Table
      label="Deliveries"
      columns={listColumns}
      rows={list.items}
      rowKey={({ id }) => id}
      onEndReached={list.loadMore}
      footer={describeEnd(list)}
    />
  );
}

const columnsOfAlert: Column<Delivery>[] = [
  webhook,
  state,
  { header: 'Result', width: 'minmax(0, 2fr)', cell: resultOf },
  attempts,
  {
    header: 'Next attempt',
    width: '150px',
    cell: ({ next_attempt_at }) => next_attempt_at !== null && <NextTime at={next_attempt_at} />,
  },
];

/** Lists all deliveries of an alert, with the times of their next attempts. */
export function DeliveriesOfAlert({ rows }: { rows: readonly Delivery[] }) {
  return (
    <Table label="Deliveries of the alert" columns={columnsOfAlert} rows={rows} rowKey={({ id }) => id} />
  );
}

/** Link to a delivery. Its text is the name of the webhook. */
function DeliveryLink({ id, name }: { id: string; name: string }) {
  return <Link to={usePaths().delivery(id)}>{name}</Link>;
}
