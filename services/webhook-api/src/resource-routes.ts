import type { Database, SecretBox } from '@tocsin/database';
import { checkUrl, parseCidrs, type Sender } from '@tocsin/egress';
import type { Principal } from '@tocsin/identity';
import { createRateLimiter, type Logger, type Route } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import { alertRuleRoutes } from './alert-rules/alert-rule-routes.js';
import { createAlertRuleUseCases } from './alert-rules/alert-rule-use-cases.js';
import { createAlertRulesRepository } from './alert-rules/alert-rules-repository.js';
import type { WebhookApiConfig } from './config.js';
import type { Paging } from './paging.js';
import type { WebhookChecks } from './webhooks/check-webhook.js';
import { createProbeLimit } from './webhooks/probe-limit.js';
import { checkTemplate, sampleRenderer } from './webhooks/templates.js';
import { testRoutes } from './webhooks/test-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';
import { createWebhookUseCases } from './webhooks/webhook-use-cases.js';
import { createWebhooksRepository } from './webhooks/webhooks-repository.js';
import { whoamiRoute } from './whoami/whoami-route.js';

/** What the features stand on. */
export interface ResourceParts {
  config: WebhookApiConfig;
  database: Database;
  publisher: Publisher;
  sender: Sender;
  secretBox: SecretBox;
  paging: Paging;
  logger: Logger;
}

/** Every route under the API's prefix: each feature with its repository and use cases. */
export function resourceRoutes(parts: ResourceParts): Route<Principal>[] {
  return [...webhookFeature(parts), ...alertRuleFeature(parts), whoamiRoute()];
}

function webhookFeature({ config, database, sender, secretBox, paging }: ResourceParts): Route<Principal>[] {
  const { publicUrl, limits } = config;
  const allow = parseCidrs(config.egress.allow);
  const checks: WebhookChecks = {
    urlProblems: (url) => checkUrl(url, { allow }),
    checkTemplate,
    resolveWarning: sender.resolveWarning,
  };
  const repository = createWebhooksRepository(database);
  const useCases = createWebhookUseCases({
    repository,
    secretBox,
    checks,
    maxPerWorkspace: limits.webhooksPerWorkspace,
    now: () => new Date(),
  });
  const limit = createProbeLimit(createRateLimiter({ perMinute: limits.probesPerMinute }));
  return [
    ...webhookRoutes({ useCases, repository, secretBox, paging, publicUrl }),
    ...testRoutes({ repository, secretBox, checks, renderer: sampleRenderer, sender, limit }),
  ];
}

function alertRuleFeature({ config, database, paging }: ResourceParts): Route<Principal>[] {
  const repository = createAlertRulesRepository(database);
  const useCases = createAlertRuleUseCases({ repository, now: () => new Date() });
  return alertRuleRoutes({ useCases, repository, paging, publicUrl: config.publicUrl });
}
