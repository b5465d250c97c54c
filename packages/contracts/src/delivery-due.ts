/** Exchange and routing key that the dispatcher uses to send deliveries to the workers. Internal to Tocsin. */
export const deliveriesExchange = 'tocsin.deliveries';
export const deliveryDueKey = 'delivery.due';

/**
 * A delivery that a worker should claim now. The message is only a hint, because the table `open_deliveries` has the
 * current state. If the run in the message differs from the run in the table, the delivery is not claimed.
 */
export interface DeliveryDue {
  deliveryId: string;
  run: number;
}

/**
 * Maximum number of deliveries in a message. With more deliveries in a message, the broker and the worker process fewer
 * messages and need less CPU. With fewer deliveries, messages are acknowledged earlier, because a message is
 * acknowledged only when its last delivery has ended.
 */
export const maxDeliveriesInMessage = 16;
/** Length of a line in bytes: UUID, slash, run of up to ten digits, line feed. */
const maxLineBytes = 48;

/**
 * Encodes each delivery as an ASCII line `{delivery id}/{run}`. Parsing such lines takes less time than parsing JSON,
 * which matters at several thousand messages a second.
 */
export function encodeDeliveriesDue(due: readonly DeliveryDue[]): Buffer {
  return Buffer.from(due.map(({ deliveryId, run }) => `${deliveryId}/${run}`).join('\n'), 'latin1');
}

/**
 * Decodes the content of a message. Returns undefined for content that `encodeDeliveriesDue` cannot have created, or
 * that is larger than a message with 16 deliveries.
 */
export function decodeDeliveriesDue(content: Buffer): DeliveryDue[] | undefined {
  if (content.length > maxDeliveriesInMessage * maxLineBytes) return undefined;
  const lines = content.toString('latin1').split('\n');
  if (lines.length > maxDeliveriesInMessage) return undefined;
  const due = lines.map(decodeLine);
  return due.every((one) => one !== undefined) ? due : undefined;
}

const linePattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[1-9]\d{0,9}$/;
/** Maximum value of PostgreSQL's type `integer`. */
const maxRun = 2_147_483_647;

function decodeLine(text: string): DeliveryDue | undefined {
  if (!linePattern.test(text)) return undefined;
  const run = Number(text.slice(37));
  return run <= maxRun ? { deliveryId: text.slice(0, 36), run } : undefined;
}
