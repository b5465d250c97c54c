import { Link } from 'react-router';
import type { DeliveryRow, LiveList } from '../api/index.js';
import { usePaths } from '../paths.js';
import { type Column, RelativeTime, Table } from '../ui/index.js';
import { DeliveryStatus, resultOf } from './delivery-status.js';
import { describeEnd } from './live-list-state.js';

/** Lists deliveries, newest first. Scrolling to the end loads the next page. */
export function DeliveryTable({ list }: { list: LiveList<DeliveryRow> }) {
  const paths = usePaths();
  const columns: Column<DeliveryRow>[] = [
    {
      header: 'Webhook',
      width: 'minmax(0, 2fr)',
      narrow: 'line',
      cell: ({ id, webhook_name }) => <Link to={paths.delivery(id)}>{webhook_name}</Link>,
    },
    { header: 'State', width: '100px', cell: ({ status }) => <DeliveryStatus status={status} /> },
    { header: 'Result', width: 'minmax(0, 1.5fr)', cell: resultOf },
    {
      header: 'Destination',
      width: 'minmax(0, 2fr)',
      narrow: 'hide',
      cell: ({ destination }) => destination,
    },
    { header: 'Attempts', width: '80px', narrow: 'hide', cell: ({ attempts_made }) => attempts_made },
    { header: 'Fired', width: '130px', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
  return (
    <Table
      label="Deliveries"
      columns={columns}
      rows={list.items}
      rowKey={({ id }) => id}
      onEndReached={list.loadMore}
      footer={describeEnd(list)}
    />
  );
}
