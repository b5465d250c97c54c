import { createKeyedCounter } from '../slots/slot-usage.js';

/**
 * Limits the memory that the rendered bodies of deliveries in progress use. Destinations that hang keep bodies in
 * memory until the timeout of their requests, and a body of the maximum size takes 1.3 MB.
 */
export interface BodyMemory {
  /**
   * Reserves memory for the body of a delivery until `release`. Returns false if the limit does not allow it now.
   * Always returns true for a body of usual size.
   */
  reserve(delivery: BodyOwner, body: string): boolean;
  /** Does nothing if nothing is reserved for the delivery. */
  release(delivery: BodyOwner): void;
}

interface BodyOwner {
  deliveryId: string;
  workspaceId: string;
}

/** Maximum memory of the large bodies of a worker, in bytes: a seventh of the smallest memory limit, 448 MB. */
const defaultMaxBytes = 64 * 1_048_576;
/**
 * Number of characters up to which a body is not counted. The 1,100 deliveries that can be in progress use at most
 * 22 MB for such bodies.
 */
const uncountedCharacters = 4_096;
/**
 * Maximum number of bytes of a workspace for each free byte. The rule is the same as for slots (slot-limits.ts). A
 * single workspace can use 15/16 of the memory for large bodies. The remaining 1/16 stays free for other workspaces.
 */
const maxBytesPerFreeByte = 15;

export function createBodyMemory({ maxBytes = defaultMaxBytes } = {}): BodyMemory {
  const byWorkspace = createKeyedCounter();
  const byDelivery = new Map<string, number>();
  return {
    reserve({ deliveryId, workspaceId }, body) {
      if (body.length <= uncountedCharacters) return true;
      const bytes = bytesOf(body);
      const free = maxBytes - byWorkspace.total() - bytes;
      if (byWorkspace.of(workspaceId) + bytes > maxBytesPerFreeByte * free) return false;
      byDelivery.set(deliveryId, bytes);
      byWorkspace.add(workspaceId, bytes);
      return true;
    },
    release({ deliveryId, workspaceId }) {
      const bytes = byDelivery.get(deliveryId);
      if (bytes === undefined) return;
      byDelivery.delete(deliveryId);
      byWorkspace.add(workspaceId, -bytes);
    },
  };
}

/** The text takes one or two bytes for each character, and the request has a copy of it in UTF-8. */
function bytesOf(body: string): number {
  return 2 * body.length + Buffer.byteLength(body);
}
