import { Navigate } from 'react-router';
import { useWorkspaces } from '../api/index.js';
import { pathsOf } from '../paths.js';
import { Button, Empty, Failure, Loading } from '../ui/index.js';
import { useSignOut } from './sign-out.js';
import { lastWorkspace } from './workspace-switch.js';

/**
 * Opens the workspace that was last used on this device. If the user has no role in it, opens the first workspace of
 * the user.
 */
export function ChooseWorkspace() {
  const { data, error, refetch } = useWorkspaces();
  const signOut = useSignOut();
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="your workspaces" />;
  const chosen = data.find(({ id }) => id === lastWorkspace()) ?? data[0];
  if (chosen !== undefined) return <Navigate replace to={pathsOf(chosen.id).overview()} />;
  return (
    <main className="welcome">
      <Empty title="You have no workspace yet" action={<Button onPress={signOut}>Sign out</Button>}>
        You are signed in, but your account has no role in a workspace. Ask an administrator of your sign-in
        service to add you to one. Then sign out and in again.
      </Empty>
    </main>
  );
}
