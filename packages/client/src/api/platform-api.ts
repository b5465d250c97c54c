import { systemClock } from '../clock.js';
import { type AlertRulesApi, createAlertRulesApi } from './alert-rules.js';
import { type AlertsApi, createAlertsApi } from './alerts.js';
import { type AuditEventsApi, createAuditEventsApi } from './audit-events.js';
import type { ClientOptions } from './client-options.js';
import { createDeadLettersApi, type DeadLettersApi } from './dead-letters.js';
import { createDeliveriesApi, type DeliveriesApi } from './deliveries.js';
import { createHealthApi, type HealthApi } from './health.js';
import { type CancellationsApi, createJobsApi, type DispatchesApi, type RedeliveriesApi } from './jobs.js';
import type { Whoami } from './schemas.js';
import type { CallOptions, Send } from './transport.js';
import { createWebhooksApi, type WebhooksApi } from './webhooks.js';
import {
  createSettingsApi,
  createWorkspacesApi,
  type SettingsApi,
  type WorkspacesApi,
} from './workspaces.js';

export interface PlatformApiOptions extends Pick<ClientOptions, 'clock'> {
  /**
   * Id of the workspace. It is needed for operations such as `list` and `create`, and for all operations on alerts and
   * jobs. Operations with the id of a webhook, an alert rule, a delivery or a dead letter need no workspace.
   */
  workspaceId?: string | undefined;
}

/** All operations of the platform API. */
export interface PlatformClient {
  webhooks: WebhooksApi;
  alertRules: AlertRulesApi;
  alerts: AlertsApi;
  deliveries: DeliveriesApi;
  redeliveries: RedeliveriesApi;
  dispatches: DispatchesApi;
  cancellations: CancellationsApi;
  deadLetters: DeadLettersApi;
  settings: SettingsApi;
  auditEvents: AuditEventsApi;
  workspaces: WorkspacesApi;
  health: HealthApi;
  whoami(options?: CallOptions): Promise<Whoami>;
  /** Returns a client for another workspace. */
  inWorkspace(workspaceId: string): PlatformClient;
}

/** Creates the client of the platform API from the function that sends its requests. */
export function createPlatformApi(send: Send, options: PlatformApiOptions): PlatformClient {
  const { workspaceId, clock = systemClock } = options;
  const workspace = () => {
    if (workspaceId === undefined)
      throw new TypeError('This call acts in a workspace: give the client a workspaceId.');
    return workspaceId;
  };
  return {
    webhooks: createWebhooksApi(send, workspace),
    alertRules: createAlertRulesApi(send, workspace),
    alerts: createAlertsApi({ send, workspace, clock }),
    deliveries: createDeliveriesApi(send, workspace),
    redeliveries: createJobsApi(send, { workspace, plural: 'redeliveries' }),
    dispatches: createJobsApi(send, { workspace, plural: 'dispatches' }),
    cancellations: createJobsApi(send, { workspace, plural: 'cancellations' }),
    deadLetters: createDeadLettersApi(send, workspace),
    settings: createSettingsApi(send, workspace),
    auditEvents: createAuditEventsApi(send, workspace),
    workspaces: createWorkspacesApi(send),
    health: createHealthApi(send),
    whoami: async (callOptions) =>
      (await send<Whoami>({ method: 'GET', path: '/api/v1/whoami', options: callOptions })).body,
    inWorkspace: (id) => createPlatformApi(send, { ...options, workspaceId: id }),
  };
}
