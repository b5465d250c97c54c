import { type Database, sqlArray } from '@tocsin/database';
import { sanitizeOrNull } from '../sanitize-text.js';
import { claimColumns } from './claim-columns.js';
import type { Claimed } from './claimed.js';
import type { Deferral } from './verdict.js';

/** What becomes of claims without an outcome, where they are still ours. */
export interface DeferralRepository {
  /** Lets them last for another `leaseMs`; what another has locked is passed over. */
  renew(claims: Claimed[], leaseMs: number): Promise<void>;
  /** Gives them back, and says why in the delivery where the deferral has a failure. */
  defer(deferrals: Deferred[]): Promise<void>;
}

export interface Deferred {
  claimed: Claimed;
  deferral: Deferral;
}

export function createDeferralRepository(database: Database): DeferralRepository {
  const tellWhy = async (deferrals: Deferred[]) => {
    if (deferrals.length === 0) return;
    await database.prepared(tell, [
      ...claimColumns(deferrals.map(({ claimed }) => claimed)),
      sqlArray.text(deferrals.map(({ deferral }) => deferral.failure?.code ?? null)),
      sqlArray.text(deferrals.map(({ deferral }) => sanitizeOrNull(deferral.failure?.error))),
    ]);
  };
  return {
    async renew(claims, leaseMs) {
      await database.prepared(renew, [...claimColumns(claims), leaseMs]);
    },
    async defer(deferrals) {
      await tellWhy(deferrals.filter(({ deferral }) => deferral.failure));
      await database.prepared(defer, [
        ...claimColumns(deferrals.map(({ claimed }) => claimed)),
        sqlArray.float8(deferrals.map(({ deferral }) => deferral.afterMs)),
      ]);
    },
  };
}

const renew = {
  name: 'delivery.renew',
  text: `
    update open_deliveries o set lease_until = now() + $4::float8 * interval '1 millisecond'
    where o.delivery_id = any(array(
      select x.delivery_id from open_deliveries x
      join unnest($1::uuid[], $2::integer[], $3::integer[]) as c(delivery_id, run, claim)
        using (delivery_id, run, claim)
      where x.delivery_id = any($1::uuid[]) and x.claimed for update of x skip locked))`,
};

const defer = {
  name: 'delivery.defer',
  text: `
    with ours as (
      select x.delivery_id, d.after_ms from open_deliveries x
      join unnest($1::uuid[], $2::integer[], $3::integer[], $4::float8[])
        as d(delivery_id, run, claim, after_ms) using (delivery_id, run, claim)
      where x.delivery_id = any($1::uuid[])
      order by x.delivery_id for update of x
    )
    update open_deliveries x
    set state = 'waiting', claimed = false, claim_token = null, lease_until = null,
        claims_without_outcome = greatest(0, x.claims_without_outcome - 1),
        due_at = now() + ours.after_ms * interval '1 millisecond'
    from ours where x.delivery_id = any($1::uuid[]) and x.delivery_id = ours.delivery_id`,
};

// What says so already is not written again: it may be deferred many times.
const tell = {
  name: 'delivery.tell',
  text: `
    with ours as materialized (
      select x.delivery_id, t.error_code, t.error from open_deliveries x
      join unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::text[])
        as t(delivery_id, run, claim, error_code, error) using (delivery_id, run, claim)
      where x.delivery_id = any($1::uuid[])
      order by x.delivery_id for update of x
    )
    update deliveries d set error_code = ours.error_code, error = ours.error
    from ours
    where d.id = ours.delivery_id and (d.error_code, d.error) is distinct from (ours.error_code, ours.error)`,
};
