import { type Database, readClock, type SecretBox } from '@tocsin/database';
import { countRedeliverable, redeliver } from '@tocsin/deliveries';
import { checkUrl, parseCidrs, type Sender } from '@tocsin/egress';
import type { Principal } from '@tocsin/identity';
import { createRateLimiter, createTimeBudget, type Logger, type Route } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import { alertRuleRoutes } from './alert-rules/alert-rule-routes.js';
import { createAlertRuleUseCases } from './alert-rules/alert-rule-use-cases.js';
import { createAlertRulesRepository } from './alert-rules/alert-rules-repository.js';
import { alertRoutes } from './alerts/alert-routes.js';
import { createAlertsReader } from './alerts/alerts-reader.js';
import type { WebhookApiConfig } from './config.js';
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.js';
import { createDeadLettersRepository } from './dead-letters/dead-letters-repository.js';
import { createRequeueDeadLetter } from './dead-letters/requeue-dead-letter.js';
import { createAttemptsReader } from './deliveries/attempts-reader.js';
import { createDeliveriesReader } from './deliveries/deliveries-reader.js';
import { deliveryRoutes } from './deliveries/delivery-routes.js';
import type { Paging } from './lists/paging.js';
import { createSearches, type Searches, searchTimeoutMs } from './lists/searches.js';
import { createWholeLists, type WholeLists } from './lists/whole-lists.js';
import { createAcceptRedelivery } from './redeliveries/accept-redelivery.js';
import { createRedeliveriesRepository } from './redeliveries/redeliveries-repository.js';
import { redeliveryRoutes } from './redeliveries/redelivery-routes.js';
import type { WebhookChecks } from './webhooks/check-webhook.js';
import { createProbeLimit } from './webhooks/probe-limit.js';
import { createTemplateBudget, templateTime } from './webhooks/template-budget.js';
import { createTemplates } from './webhooks/templates.js';
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

/** And what they share among themselves. */
interface FeatureParts extends ResourceParts {
  searches: Searches;
  wholeLists: WholeLists;
}

/** Every route under the API's prefix: each feature with its repository and use cases. */
export function resourceRoutes(given: ResourceParts): Route<Principal>[] {
  const searches = createSearches(given.config);
  const parts = { ...given, searches, wholeLists: createWholeLists() };
  return [
    ...webhookFeature(parts),
    ...alertRuleFeature(parts),
    ...alertFeature(parts),
    ...deliveryFeature(parts),
    ...redeliveryFeature(parts),
    ...deadLetterFeature(parts),
    whoamiRoute(),
  ];
}

function webhookFeature({
  config,
  database,
  sender,
  secretBox,
  paging,
  wholeLists,
}: FeatureParts): Route<Principal>[] {
  const { publicUrl, limits } = config;
  const allow = parseCidrs(config.egress.allow);
  const templates = createTemplates();
  const templateBudget = createTemplateBudget(createTimeBudget(templateTime));
  const checks: WebhookChecks = {
    urlProblems: (url) => checkUrl(url, { allow }),
    checkTemplate: templates.checkTemplate,
    resolveWarning: sender.resolveWarning,
  };
  const repository = createWebhooksRepository(database);
  const useCases = createWebhookUseCases({
    repository,
    secretBox,
    checks,
    templateBudget,
    maxPerWorkspace: limits.webhooksPerWorkspace,
    now: () => new Date(),
  });
  const limit = createProbeLimit(createRateLimiter({ perMinute: limits.probesPerMinute }));
  return [
    ...webhookRoutes({ useCases, repository, secretBox, paging, wholeLists, publicUrl }),
    ...testRoutes({ repository, secretBox, checks, renderer: templates, templateBudget, sender, limit }),
  ];
}

function alertRuleFeature({ config, database, paging, wholeLists }: FeatureParts): Route<Principal>[] {
  const repository = createAlertRulesRepository(database);
  const useCases = createAlertRuleUseCases({ repository, now: () => new Date() });
  return alertRuleRoutes({ useCases, repository, paging, wholeLists, publicUrl: config.publicUrl });
}

function alertFeature({ config, database, publisher, paging, searches }: FeatureParts): Route<Principal>[] {
  const reader = createAlertsReader(database);
  return alertRoutes({
    reader,
    searches,
    publisher,
    paging,
    publicUrl: config.publicUrl,
    now: () => new Date(),
  });
}

function deliveryFeature({ database, secretBox, paging, searches }: FeatureParts): Route<Principal>[] {
  return deliveryRoutes({
    deliveries: createDeliveriesReader(database),
    attempts: createAttemptsReader(database),
    searches,
    redeliver: (deliveryId) => redeliver(database, deliveryId),
    secretBox,
    paging,
  });
}

function redeliveryFeature({ config, database, paging, searches }: FeatureParts): Route<Principal>[] {
  const repository = createRedeliveriesRepository(database);
  const accept = createAcceptRedelivery({
    repository,
    searches,
    countMatching: (options) => countRedeliverable(database, { ...options, timeoutMs: searchTimeoutMs }),
    now: () => readClock(database),
  });
  return redeliveryRoutes({ accept, repository, paging, publicUrl: config.publicUrl });
}

function deadLetterFeature({ database, publisher, paging, searches }: FeatureParts): Route<Principal>[] {
  const repository = createDeadLettersRepository(database);
  const requeue = createRequeueDeadLetter({ repository, publisher });
  return deadLetterRoutes({ repository, searches, requeue, paging });
}
