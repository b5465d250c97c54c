/** Entry point for browsers: the table of roles and permissions. */
export {
  type DeploymentRole,
  deploymentRoles,
  type Permission,
  type WorkspaceRole,
  workspaceRoles,
} from './permissions.js';
