import type { Delivery } from '../api/schemas.js';
import type { Color, Output } from './output.js';
import type { Column } from './table.js';
import { shortTime } from './text.js';

const colors: Record<Delivery['status'], Color> = {
  waiting: 'yellow',
  queued: 'yellow',
  sending: 'yellow',
  succeeded: 'green',
  failed: 'red',
  skipped: 'dim',
};

export function deliveryColumns(out: Output): Column<Delivery>[] {
  return [
    { title: 'ID', whole: true, value: ({ id }) => id },
    { title: 'CREATED', value: ({ created_at }) => shortTime(created_at) },
    {
      title: 'STATUS',
      whole: true,
      value: ({ status }) => status,
      paint: (cell, { status }) => out.paint(cell, colors[status]),
    },
    { title: 'TRIES', value: ({ attempts_made }) => String(attempts_made) },
    { title: 'RESPONSE', value: describeResponse },
    { title: 'WEBHOOK', value: ({ webhook_name }) => webhook_name },
    { title: 'DESTINATION', value: ({ destination }) => destination },
  ];
}

/** Status code of the destination, or the error code without a response. */
export function describeResponse({ response, error_code }: Delivery): string {
  return response === null ? (error_code ?? '') : String(response.status_code);
}
