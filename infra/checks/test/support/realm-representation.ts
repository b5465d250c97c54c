import { Ajv } from 'ajv';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const flag = { type: 'boolean' };
const number = { type: 'integer', minimum: 0 };

/** Returns an object that maps each of the space-separated names to the schema. */
const each = (names: string, schema: object) =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]));
const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const list = (items: object) => ({ type: 'array', items });

const inTokens = 'access.token.claim id.token.claim userinfo.token.claim introspection.token.claim';
/** Kinds of protocol mappers with the names of their settings. In Keycloak every setting is a string, even a flag. */
const mappers: [kind: string, settings: string][] = [
  ['oidc-audience-mapper', `${inTokens} included.client.audience`],
  ['oidc-group-membership-mapper', `${inTokens} claim.name full.path`],
  ['oidc-usermodel-realm-role-mapper', `${inTokens} claim.name jsonType.label multivalued`],
  ['oidc-usermodel-client-role-mapper', `${inTokens} claim.name jsonType.label multivalued`],
  ['oidc-usermodel-attribute-mapper', `${inTokens} claim.name jsonType.label user.attribute`],
  ['oidc-usermodel-property-mapper', `${inTokens} claim.name jsonType.label user.attribute`],
  ['oidc-usersessionmodel-note-mapper', `${inTokens} claim.name jsonType.label user.session.note`],
  ['oidc-full-name-mapper', inTokens],
  ['oidc-sub-mapper', inTokens],
  ['oidc-acr-mapper', inTokens],
  ['oidc-audience-resolve-mapper', inTokens],
  ['oidc-allowed-origins-mapper', inTokens],
];

const protocolMappers = list({
  oneOf: mappers.map(([kind, settings]) =>
    object(
      {
        name: text,
        protocol: { const: 'openid-connect' },
        protocolMapper: { const: kind },
        config: object(each(settings, text)),
      },
      'name',
      'protocol',
      'protocolMapper',
      'config',
    ),
  ),
});

// Keycloak ignores an unknown scope without an error. The tokens then lack the claims of the scope, so the schema
// allows only known scopes.
const scopes = list({
  enum: 'basic profile email roles web-origins acr tocsin-api tocsin-engine offline_access'.split(' '),
});

const clientScope = {
  ...each('name description', text),
  protocol: { const: 'openid-connect' },
  attributes: object(each('include.in.token.scope display.on.consent.screen', { enum: ['true', 'false'] })),
  protocolMappers,
};

const client = {
  ...each('clientId name description clientAuthenticatorType secret rootUrl baseUrl', text),
  ...each('bearerOnly publicClient consentRequired fullScopeAllowed frontchannelLogout', flag),
  ...each('standardFlowEnabled implicitFlowEnabled directAccessGrantsEnabled serviceAccountsEnabled', flag),
  ...each('redirectUris webOrigins', texts),
  protocol: { const: 'openid-connect' },
  // Keycloak does not add a disabled client to the claim `aud`, so every client must be enabled.
  enabled: { const: true },
  defaultClientScopes: scopes,
  optionalClientScopes: scopes,
  attributes: object({
    ...each('oauth2.device.authorization.grant.enabled use.refresh.tokens', { enum: ['true', 'false'] }),
    ...each('client_credentials.use_refresh_token', { enum: ['true', 'false'] }),
    ...each('client.use.lightweight.access.token.enabled', { enum: ['true', 'false'] }),
    ...each('pkce.code.challenge.method post.logout.redirect.uris', text),
  }),
  protocolMappers,
};

const role = object(
  {
    ...each('name description', text),
    composite: flag,
    composites: object({ realm: texts, client: { type: 'object', additionalProperties: texts } }),
  },
  'name',
);

const user = {
  ...each('username firstName lastName email serviceAccountClientId', text),
  ...each('enabled emailVerified', flag),
  ...each('realmRoles groups', texts),
  credentials: list(object({ type: { const: 'password' }, value: text, temporary: flag }, 'type', 'value')),
};

const realm = {
  ...each('realm displayName', text),
  sslRequired: { enum: ['all', 'external', 'none'] },
  defaultSignatureAlgorithm: { enum: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
  ...each('enabled registrationAllowed loginWithEmailAllowed duplicateEmailsAllowed rememberMe', flag),
  ...each('resetPasswordAllowed bruteForceProtected revokeRefreshToken', flag),
  ...each('accessTokenLifespan accessTokenLifespanForImplicitFlow refreshTokenMaxReuse', number),
  ...each('ssoSessionIdleTimeout ssoSessionMaxLifespan', number),
  ...each('oauth2DeviceCodeLifespan oauth2DevicePollingInterval', number),
  roles: object({ realm: list(role), client: { type: 'object', additionalProperties: list(role) } }, 'realm'),
  defaultRole: object({ name: text }, 'name'),
  groups: list({ $ref: 'group' }),
  clientScopes: list(object(clientScope, 'name', 'protocol')),
  defaultDefaultClientScopes: scopes,
  defaultOptionalClientScopes: scopes,
  clients: list(object(client, 'clientId', 'protocol', 'enabled')),
  scopeMappings: list(object({ clientScope: text, roles: texts }, 'clientScope', 'roles')),
  clientScopeMappings: {
    type: 'object',
    additionalProperties: list(object({ client: text, roles: texts }, 'client', 'roles')),
  },
  users: list(object(user, 'username', 'enabled')),
};

const group = object({ ...each('name path', text), subGroups: list({ $ref: 'group' }) }, 'name');
const check = new Ajv({ allErrors: true, strict: false, schemas: [{ ...group, $id: 'group' }] }).compile(
  object(realm, 'realm', 'enabled', 'clients', 'users'),
);

/**
 * Returns the problems of a realm file. The schema contains only the part of Keycloak 26's RealmRepresentation that our
 * file uses. Keycloak's import fails for unknown fields. If the realm file uses a new field, look up the field in
 * Keycloak's documentation and add it to the schema.
 */
export function faultsOfRealm(file: unknown): string[] {
  if (check(file)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
