import { Permitted, usePermission, useWhoami } from '../api/index.js';
import { useWorkspaceId } from '../paths.js';
import { Card, Facts, Failure, Loading, Page, SelectField, useSearch } from '../ui/index.js';
import { DeadLetters } from './dead-letters.js';
import { PermissionTable } from './permission-table.js';
import { WorkspaceSettings } from './workspace-settings.js';

export function SettingsPage() {
  const workspaceId = useWorkspaceId();
  return (
    <Page title="Settings" lead={`Workspace ${workspaceId}`}>
      <Card title="Your account">
        <Account />
      </Card>
      <WorkspaceSettings />
      <Card title="Your permissions">
        <PermissionTable />
      </Card>
      <Card title="Dead letters">
        <p className="muted">Messages that could not be processed, with the reason.</p>
        <Permitted permission="workspace_dead_letter_read" what="The list of dead letters">
          <ScopedDeadLetters />
        </Permitted>
      </Card>
    </Page>
  );
}

const parameters = ['dead_letters'] as const;

/**
 * Lists the dead letters of the workspace. Users with the role `tocsin_admin`, which applies to every workspace, can
 * also list the dead letters of all workspaces, including messages that name no workspace.
 */
function ScopedDeadLetters() {
  const { values, set } = useSearch(parameters);
  const { allowed } = usePermission('dead_letter_read');
  const scope = allowed && values.dead_letters === 'all' ? 'deployment' : 'workspace';
  return (
    <>
      {allowed && (
        <SelectField
          label="Dead letters of"
          value={scope}
          options={[
            { value: 'workspace', label: 'this workspace' },
            { value: 'deployment', label: 'all workspaces, and messages that name none' },
          ]}
          onChange={(value) => set({ dead_letters: value === 'deployment' ? 'all' : undefined })}
        />
      )}
      <DeadLetters scope={scope} key={scope} />
    </>
  );
}

function Account() {
  const { data, error, refetch } = useWhoami();
  const workspaceId = useWorkspaceId();
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="your account" />;
  const roles = data.workspaces[workspaceId.toLowerCase()] ?? [];
  return (
    <Facts
      facts={[
        ['Name', data.display],
        ['Subject', <code key="subject">{data.subject}</code>],
        ['Signed in at', data.issuer],
        ['Roles in this workspace', roles.join(', ') || 'none'],
        ['Roles in the deployment', data.deployment_roles.join(', ') || 'none'],
      ]}
    />
  );
}
