export { createIdentity, type Identity, type IdentityDeps } from './identity.js';
export type { DeploymentRole, Permission, WorkspaceRole } from './permissions.js';
export {
  defineRoute,
  hasPermission,
  type Principal,
  presentWhoami,
  principalId,
  requirePermission,
  whoamiSchema,
} from './principal.js';
export { type IdentitySettings, readIdentitySettings, type TrustedIssuer } from './settings.js';
