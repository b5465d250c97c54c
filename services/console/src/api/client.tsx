import { createPlatformClient, type PlatformClient, type Session } from '@tocsin/client/browser';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useWorkspaceId } from '../paths.js';

const ClientContext = createContext<PlatformClient | undefined>(undefined);

/**
 * Longest `Retry-After` that a request waits for before a retry, in milliseconds. While a request waits, the page only
 * says that it is loading; an error message tells the user why, and polls send the request again anyway.
 */
const maxRetryAfterMs = 2_000;

/** Provides an API client for the origin that served this page. */
export function ClientProvider({ session, children }: { session: Session; children: ReactNode }) {
  const client = useMemo(
    () =>
      createPlatformClient({
        url: window.location.origin,
        allowHttp: true,
        token: session.token,
        maxRetryAfterMs,
      }),
    [session],
  );
  return <ClientContext value={client}>{children}</ClientContext>;
}

/** Returns the API client without a workspace. Requests that belong to no workspace use it, for example `whoami`. */
export function useDeploymentClient(): PlatformClient {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error('This component needs a ClientProvider.');
  return client;
}

/** Returns the API client for the workspace in the address of the page. */
export function useClient(): PlatformClient {
  const client = useDeploymentClient();
  const workspaceId = useWorkspaceId();
  return useMemo(() => client.inWorkspace(workspaceId), [client, workspaceId]);
}
