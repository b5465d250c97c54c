import { useNavigate } from 'react-router';
import { useWorkspaces } from '../api/index.js';
import { pathsOf, useWorkspaceId } from '../paths.js';
import { SelectField } from '../ui/index.js';

const key = 'tocsin.workspace';

/** Returns the id of the workspace that was last used on this device. */
export function lastWorkspace(): string | null {
  return window.localStorage.getItem(key);
}

export function rememberWorkspace(workspaceId: string): void {
  window.localStorage.setItem(key, workspaceId);
}

/**
 * Field that selects the workspace of all pages. A workspace without a name is shown with the first eight characters of
 * its id.
 */
export function WorkspaceSwitch() {
  const { data = [] } = useWorkspaces();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const known = data.some(({ id }) => id === workspaceId) ? data : [{ id: workspaceId, name: null }, ...data];
  return (
    <SelectField
      label="Workspace"
      value={workspaceId}
      options={known.map(({ id, name }) => ({ value: id, label: name ?? `${id.slice(0, 8)}…` }))}
      onChange={(id) => void navigate(pathsOf(id).overview())}
    />
  );
}
