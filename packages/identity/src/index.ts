export { defineRoute } from './define-route.js';
export { createIdentity, type Identity, type IdentityDeps } from './identity.js';
export type { DeploymentRole, Permission, WorkspaceRole } from './permissions.js';
export { hasPermission, type Principal, requirePermission } from './principal.js';
export { type IdentitySettings, readIdentitySettings, type TrustedIssuer } from './settings.js';
export { presentWhoami, whoamiSchema } from './whoami.js';
