/** The exchange and key by which a delivery that is due reaches a worker. Internal to Tocsin. */
export const deliveriesExchange = 'tocsin.deliveries';
export const deliveryDueKey = 'delivery.due';

/**
 * One delivery that a worker should claim now. It is a hint, not the truth: what is owed stands in the table
 * `open_deliveries`, and a message whose run has passed is dropped.
 */
export interface DeliveryDue {
  deliveryId: string;
  run: number;
}

/**
 * Deliveries that one message carries at the most. A message costs broker and worker more than a delivery in it does;
 * a message is acknowledged when the last of its deliveries is done, so one slow destination holds up few.
 */
export const maxDeliveriesInMessage = 16;
/** An id, a slash, ten digits and the end of the line. */
const maxLineBytes = 48;

/** A line `{delivery id}/{run}` for each, ASCII; parsed several thousand times a second. */
export function encodeDeliveriesDue(due: readonly DeliveryDue[]): Buffer {
  return Buffer.from(due.map(({ deliveryId, run }) => `${deliveryId}/${run}`).join('\n'), 'latin1');
}

/** Undefined for anything that `encodeDeliveriesDue` did not make; what is larger is not even read. */
export function decodeDeliveriesDue(content: Buffer): DeliveryDue[] | undefined {
  if (content.length > maxDeliveriesInMessage * maxLineBytes) return undefined;
  const lines = content.toString('latin1').split('\n');
  if (lines.length > maxDeliveriesInMessage) return undefined;
  const due = lines.map(decodeLine);
  return due.every((one) => one !== undefined) ? due : undefined;
}

const linePattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[1-9]\d{0,9}$/;
/** The database's `integer`. */
const maxRun = 2_147_483_647;

function decodeLine(text: string): DeliveryDue | undefined {
  if (!linePattern.test(text)) return undefined;
  const run = Number(text.slice(37));
  return run <= maxRun ? { deliveryId: text.slice(0, 36), run } : undefined;
}
