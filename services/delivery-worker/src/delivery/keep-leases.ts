import type { Claimed } from './claimed.js';
import type { DeferralRepository } from './deferral-repository.js';

/**
 * Renews the leases of what has its outcome and waits long to have it recorded, so that no other worker sends it again
 * meanwhile. One that could not be renewed is put back: that is what leases are for.
 */
export function keepLeases({ renew, leaseMs }: { renew: DeferralRepository['renew']; leaseMs: number }) {
  const waiting = new Set<Claimed>();
  const renewLate = async () => {
    const halfwayMs = performance.now() + leaseMs / 2;
    const late = [...waiting].filter(({ leaseEndsAtMs }) => leaseEndsAtMs < halfwayMs);
    if (late.length > 0) await renew(late, leaseMs).catch(() => {});
  };
  setInterval(renewLate, leaseMs / 6).unref();
  return {
    async during(claimed: Claimed, work: () => Promise<void>) {
      waiting.add(claimed);
      await work().finally(() => waiting.delete(claimed));
    },
  };
}
