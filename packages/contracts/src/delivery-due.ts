/** The exchange and key by which a delivery that is due reaches a worker. Internal to Tocsin. */
export const deliveriesExchange = 'tocsin.deliveries';
export const deliveryDueKey = 'delivery.due';

/**
 * One delivery that a worker should claim now. It is a hint, not the truth: what is owed stands in the table
 * `open_deliveries`, and a message whose generation has passed is dropped.
 */
export interface DeliveryDue {
  deliveryId: string;
  generation: number;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `{delivery id}/{generation}`: 38 bytes or more, ASCII; parsed several thousand times a second. */
export function encodeDeliveryDue(due: DeliveryDue): Buffer {
  return Buffer.from(`${due.deliveryId}/${due.generation}`, 'latin1');
}

/** Undefined for anything that `encodeDeliveryDue` did not make. */
export function decodeDeliveryDue(content: Buffer): DeliveryDue | undefined {
  const text = content.toString('latin1');
  const deliveryId = text.slice(0, 36);
  const generation = Number(text.slice(37));
  const valid = uuidPattern.test(deliveryId) && text[36] === '/' && Number.isSafeInteger(generation);
  return valid && generation > 0 ? { deliveryId, generation } : undefined;
}
