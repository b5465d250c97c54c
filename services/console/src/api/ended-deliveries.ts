const endStates: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

/** Returns true if a delivery in this state has ended. */
export function isEndState(status: string): boolean {
  return endStates.has(status);
}

/** Returns true if there is at least one delivery, and all deliveries have ended. */
export function haveEnded(deliveries: readonly { status: string }[] = []): boolean {
  return deliveries.length > 0 && deliveries.every(({ status }) => isEndState(status));
}
