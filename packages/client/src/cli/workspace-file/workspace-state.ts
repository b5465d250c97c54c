import type { PlatformClient } from '../../api/platform-api.js';
import type { Tagged } from '../../api/requests.js';
import type { AlertRule, Webhook, WorkspaceSettings } from '../../api/schemas.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';

/** The current configuration of a workspace in the API. */
export interface WorkspaceState {
  webhooks: Webhook[];
  rules: AlertRule[];
  settings: Tagged<WorkspaceSettings>;
}

/**
 * Reads the current configuration of the workspace.
 * @throws CommandFailure if the caller may not read bodies and header values
 */
export async function readState(platform: PlatformClient, signal: AbortSignal): Promise<WorkspaceState> {
  const webhooks = await platform.webhooks.list({}, { signal }).toArray();
  const rules = await platform.alertRules.list({}, { signal }).toArray();
  const settings = await platform.settings.get({ signal });
  // For callers without the permission, the API replaces each body by `[hidden]`. This text is not JSON, so it cannot
  // be a real body.
  if (webhooks.some(({ body }) => body === '[hidden]'))
    throw new CommandFailure(
      exitCodes.forbidden,
      'Your role sees no bodies and header values; the configuration needs the role editor or admin.',
    );
  return { webhooks, rules, settings };
}

/** Returns the name of a webhook or rule in messages: its external id, or else its id. */
export function labelOf({ id, external_id }: { id: string; external_id: string | null }): string {
  return external_id ?? id;
}
