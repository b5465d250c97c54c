import type { Principal } from '@tocsin/identity';
import { type DefineRoute, routeDefiner } from '@tocsin/kit';

type CallerKind = 'admin_key' | 'user_key' | 'jwt';

/** An authenticated caller. */
export interface EngineCaller {
  kind: CallerKind;
  /** Issuer of a token, or `tocsin-engine` for a key. A subject identifies a caller only together with its issuer. */
  issuer: string;
  /** `admin-key`, the id of a user key, or the subject of a token. */
  subject: string;
  /** Deployment roles of the caller, returned in the header `X-Auth-Roles`. */
  roles: readonly string[];
  /** Name of the caller that is shown to people. */
  display: string;
  mayManageKeys: boolean;
}

export const defineRoute: DefineRoute<EngineCaller, 'api_key_manage'> = routeDefiner();

/**
 * Value of `issuer` for callers with the admin key or a user key. No token has this issuer, because the issuer of a
 * token is a URL.
 */
const keyIssuer = 'tocsin-engine';

export const adminKeyCaller: EngineCaller = {
  kind: 'admin_key',
  issuer: keyIssuer,
  subject: 'admin-key',
  roles: ['tocsin_engine_admin'],
  display: 'admin key',
  mayManageKeys: true,
};

/** Returns the caller with a user key (any engine key but the admin key). Such a caller cannot manage keys. */
export function userKeyCaller(id: string): EngineCaller {
  return {
    kind: 'user_key',
    issuer: keyIssuer,
    subject: id,
    roles: [],
    display: `user key ${id}`,
    mayManageKeys: false,
  };
}

export function jwtCaller(principal: Principal, mayManageKeys: boolean): EngineCaller {
  const { issuer, subject, display, deploymentRoles } = principal;
  return {
    kind: 'jwt',
    issuer,
    subject,
    roles: [...deploymentRoles],
    display,
    mayManageKeys,
  };
}
