import type { Principal } from '@tocsin/identity';

type CallerKind = 'admin_key' | 'user_key' | 'jwt';

/** Who calls, by whichever credential. */
export interface EngineCaller {
  kind: CallerKind;
  /** `admin-key`, the id of a user key, or the subject of a token. */
  subject: string;
  /** Roles in the deployment, sent on as `X-Auth-Roles`. */
  roles: readonly string[];
  /** Unambiguous across kinds and issuers, for `created_by` and the log. */
  recordedAs: string;
  mayManageKeys: boolean;
}

export const adminKeyCaller: EngineCaller = {
  kind: 'admin_key',
  subject: 'admin-key',
  roles: ['tocsin_engine_admin'],
  recordedAs: 'admin-key',
  mayManageKeys: true,
};

/** A user key is for standard operations (the customer's interface, "Engine: API keys"). */
export function userKeyCaller(id: string): EngineCaller {
  return { kind: 'user_key', subject: id, roles: [], recordedAs: `user-key ${id}`, mayManageKeys: false };
}

export function jwtCaller(principal: Principal, mayManageKeys: boolean): EngineCaller {
  const { issuer, subject, deploymentRoles } = principal;
  return {
    kind: 'jwt',
    subject,
    roles: [...deploymentRoles],
    recordedAs: `${issuer} ${subject}`,
    mayManageKeys,
  };
}
