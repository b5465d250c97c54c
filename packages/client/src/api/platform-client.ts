import { systemClock } from '../clock.js';
import { type AlertRulesApi, createAlertRulesApi } from './alert-rules.js';
import { type AlertsApi, createAlertsApi } from './alerts.js';
import { type ClientOptions, transportOptions } from './client-options.js';
import { createDeadLettersApi, type DeadLettersApi } from './dead-letters.js';
import { createDeliveriesApi, type DeliveriesApi } from './deliveries.js';
import { createHealthApi, type HealthApi } from './health.js';
import { createRedeliveriesApi, type RedeliveriesApi } from './redeliveries.js';
import type { Whoami } from './schemas.js';
import { type CallOptions, createTransport, type Send } from './transport.js';
import { createWebhooksApi, type WebhooksApi } from './webhooks.js';

export interface PlatformClientOptions extends ClientOptions {
  /** Workspace of `list`, `create` and `fire`. Operations on an id need none. */
  workspaceId?: string | undefined;
}

/** Every operation of the platform API. */
export interface PlatformClient {
  webhooks: WebhooksApi;
  alertRules: AlertRulesApi;
  alerts: AlertsApi;
  deliveries: DeliveriesApi;
  redeliveries: RedeliveriesApi;
  deadLetters: DeadLettersApi;
  health: HealthApi;
  whoami(options?: CallOptions): Promise<Whoami>;
  /** Returns a client for another workspace. */
  inWorkspace(workspaceId: string): PlatformClient;
}

/**
 * @example
 * const tocsin = createPlatformClient({ url: 'https://tocsin.example.com', credential: session, workspaceId });
 * for await (const delivery of tocsin.deliveries.list({ status: 'failed' })) console.log(delivery.error);
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const send = createTransport(transportOptions(options, options.credential));
  return assemble(send, { ...options });
}

function assemble(send: Send, options: PlatformClientOptions): PlatformClient {
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
    redeliveries: createRedeliveriesApi(send, workspace),
    deadLetters: createDeadLettersApi(send),
    health: createHealthApi(send),
    whoami: async (callOptions) =>
      (await send<Whoami>({ method: 'GET', path: '/api/v1/whoami', options: callOptions })).body,
    inWorkspace: (id) => assemble(send, { ...options, workspaceId: id }),
  };
}
