import { type EnvReader, isUuid } from '@tocsin/kit';

/** An identity provider and the workspaces for which its tokens are valid. */
export interface TrustedIssuer {
  issuer: string;
  audience: string;
  groupsClaim: string;
  rolesClaim: string;
  /**
   * `all` for the identity provider of the whole installation, whose tokens can also contain roles for the whole
   * installation (`deploymentRoles`). For the provider of a customer, the ids of the customer's workspaces in lower
   * case: tokens of this provider are valid for these workspaces only, and their roles for the whole installation are
   * ignored.
   */
  workspaces: 'all' | ReadonlySet<string>;
  /** Base URL of the discovery document. Default: the issuer. */
  discoveryUrl?: string;
  /**
   * URL of the signing keys. Default: the URL in the discovery document. If the issuer belongs to a customer, the URL
   * in the discovery document must have the same origin as the issuer.
   */
  jwksUri?: string;
}

export interface IdentitySettings {
  issuers: readonly TrustedIssuer[];
}

interface EnterpriseIssuer {
  issuer: string;
  audience?: string;
  jwks_uri?: string;
  workspaces: string[];
}

/**
 * Reads OIDC_ISSUER, OIDC_DISCOVERY_URL, OIDC_AUDIENCE, OIDC_GROUPS_CLAIM, OIDC_ROLES_CLAIM, DEPLOYMENT and
 * OIDC_ENTERPRISE_ISSUERS. The last one is a JSON array of `{"issuer", "workspaces": [ids], "audience"?, "jwks_uri"?}`
 * and valid only with DEPLOYMENT=enterprise.
 */
export function readIdentitySettings(read: EnvReader, { audience }: { audience: string }): IdentitySettings {
  const common = {
    audience: read.string('OIDC_AUDIENCE', audience),
    groupsClaim: read.string('OIDC_GROUPS_CLAIM', 'groups'),
    rolesClaim: read.string('OIDC_ROLES_CLAIM', 'realm_access.roles'),
  };
  const discoveryUrl =
    read.optionalString('OIDC_DISCOVERY_URL') === undefined ? undefined : read.url('OIDC_DISCOVERY_URL');
  const own: TrustedIssuer = {
    ...common,
    issuer: read.url('OIDC_ISSUER'),
    workspaces: 'all',
    ...(discoveryUrl !== undefined && { discoveryUrl }),
  };
  const deployment = read.oneOf('DEPLOYMENT', ['standard', 'enterprise'], 'standard');
  const further = read.json('OIDC_ENTERPRISE_ISSUERS', toEnterpriseIssuers, []);
  if (further.length > 0 && deployment !== 'enterprise') {
    read.problem('OIDC_ENTERPRISE_ISSUERS may only be set with DEPLOYMENT=enterprise');
  }
  const names = [own.issuer, ...further.map(({ issuer }) => issuer)];
  if (new Set(names).size < names.length) {
    read.problem('OIDC_ENTERPRISE_ISSUERS must name each issuer once, and not OIDC_ISSUER');
  }
  return { issuers: [own, ...further.map((issuer) => toTrustedIssuer(issuer, common))] };
}

function toTrustedIssuer(
  { issuer, audience, jwks_uri, workspaces }: EnterpriseIssuer,
  common: Pick<TrustedIssuer, 'audience' | 'groupsClaim' | 'rolesClaim'>,
): TrustedIssuer {
  const ids = new Set(workspaces.map((id) => id.toLowerCase()));
  return {
    ...common,
    issuer,
    audience: audience ?? common.audience,
    workspaces: ids,
    ...(jwks_uri !== undefined && { jwksUri: jwks_uri }),
  };
}

function toEnterpriseIssuers(value: unknown): EnterpriseIssuer[] {
  if (Array.isArray(value) && value.every(isEnterpriseIssuer)) return value;
  throw new Error(
    'must be an array of {"issuer": "https://…", "workspaces": ["uuid"], "audience"?: "…", "jwks_uri"?: "https://…"}',
  );
}

function isEnterpriseIssuer(value: unknown): value is EnterpriseIssuer {
  if (typeof value !== 'object' || value === null) return false;
  const { issuer, audience, jwks_uri, workspaces } = value as Record<string, unknown>;
  return (
    isWebAddress(issuer) &&
    (jwks_uri === undefined || isWebAddress(jwks_uri)) &&
    (audience === undefined || (typeof audience === 'string' && audience !== '')) &&
    Array.isArray(workspaces) &&
    workspaces.every(isUuid)
  );
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}
