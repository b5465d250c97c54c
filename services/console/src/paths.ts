import { useParams } from 'react-router';

type Search = Readonly<Record<string, string | undefined>>;

/**
 * Returns the addresses of all pages in one workspace. Links between the pages use this function, so that addresses are
 * defined only here.
 */
export function pathsOf(workspaceId: string) {
  const at = (path: string, search?: Search) =>
    `/w/${encodeURIComponent(workspaceId)}/${path}${query(search)}`;
  const withId = (path: string) => (id: string, search?: Search) =>
    at(`${path}/${encodeURIComponent(id)}`, search);
  return {
    overview: (search?: Search) => at('overview', search),
    deliveries: (search?: Search) => at('deliveries', search),
    delivery: withId('deliveries'),
    alerts: (search?: Search) => at('alerts', search),
    alert: withId('alerts'),
    webhooks: (search?: Search) => at('webhooks', search),
    webhook: withId('webhooks'),
    editWebhook: (id: string) => at(`webhooks/${encodeURIComponent(id)}/edit`),
    newWebhook: (search?: Search) => at('webhooks/new', search),
    alertRules: (search?: Search) => at('alert-rules', search),
    alertRule: withId('alert-rules'),
    newAlertRule: (search?: Search) => at('alert-rules/new', search),
    audit: (search?: Search) => at('audit', search),
    settings: () => at('settings'),
  };
}

/** Returns the workspace id in the address. Only pages below `/w/:workspaceId` may call it. */
export function useWorkspaceId(): string {
  const { workspaceId } = useParams();
  if (workspaceId === undefined) throw new Error('This component needs a workspace in the address.');
  return workspaceId;
}

export function usePaths() {
  return pathsOf(useWorkspaceId());
}

function query(search: Search = {}): string {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
