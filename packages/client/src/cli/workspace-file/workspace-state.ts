import type { PlatformClient } from '../../api/platform-api.js';
import type { AlertRule, Webhook, WorkspaceSettings } from '../../api/schemas.js';
import type { Tagged } from '../../api/tagged.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';

/** The configuration of a workspace as the API has it. */
export interface WorkspaceState {
  webhooks: Webhook[];
  rules: AlertRule[];
  settings: Tagged<WorkspaceSettings>;
}

/** @throws CommandFailure for a caller that cannot read bodies and header values */
export async function readState(platform: PlatformClient, signal: AbortSignal): Promise<WorkspaceState> {
  const webhooks = await platform.webhooks.list({}, { signal }).toArray();
  const rules = await platform.alertRules.list({}, { signal }).toArray();
  const settings = await platform.settings.get({ signal });
  // A body is JSON when it is rendered, so no readable one is this text.
  if (webhooks.some(({ body }) => body === '[hidden]'))
    throw new CommandFailure(
      exitCodes.forbidden,
      'Your role sees no bodies and header values; the configuration needs the role editor or admin.',
    );
  return { webhooks, rules, settings };
}

/** Name of a webhook or a rule in messages and references: its external id, or its id. */
export function labelOf({ id, external_id }: { id: string; external_id: string | null }): string {
  return external_id ?? id;
}
