import type { Delivery } from '../api/schemas.js';
import type { Column } from './table.js';
import { type Color, shortTime } from './text.js';

export const deliveryColors: Record<Delivery['status'], Color> = {
  waiting: 'yellow',
  queued: 'yellow',
  sending: 'yellow',
  succeeded: 'green',
  failed: 'red',
  skipped: 'dim',
};

export const deliveryColumns: Column<Delivery>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'CREATED', value: ({ created_at }) => shortTime(created_at) },
  {
    title: 'STATUS',
    whole: true,
    value: ({ status }) => status,
    color: ({ status }) => deliveryColors[status],
  },
  { title: 'TRIES', value: ({ attempts_made }) => String(attempts_made) },
  { title: 'RESPONSE', value: describeResponse },
  { title: 'WEBHOOK', value: ({ webhook_name }) => webhook_name },
  { title: 'DESTINATION', value: ({ destination }) => destination },
];

/** Returns the status code of the destination, or the error code if there was no response. */
export function describeResponse({ response, error_code }: Delivery): string {
  return response === null ? (error_code ?? '') : String(response.status_code);
}
