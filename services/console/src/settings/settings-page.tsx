import { Permitted, useWhoami } from '../api/index.js';
import { useWorkspaceId } from '../paths.js';
import { Card, Facts, Failure, Loading, Page } from '../ui/index.js';
import { DeadLetters } from './dead-letters.js';
import { PermissionTable } from './permission-table.js';

export function SettingsPage() {
  const workspaceId = useWorkspaceId();
  return (
    <Page title="Settings" lead={`Workspace ${workspaceId}`}>
      <Card title="Who am I">
        <Account />
      </Card>
      <Card title="What may I do">
        <PermissionTable />
      </Card>
      <Card title="Dead letters">
        <p className="muted">Messages of all workspaces that could not be processed, with the reason.</p>
        <Permitted permission="dead_letter_read" what="The list of dead letters">
          <DeadLetters />
        </Permitted>
      </Card>
    </Page>
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
