import {
  previewSchema,
  previewTemplateSchema,
  savedTestResultSchema,
  testResultSchema,
  testSavedWebhookSchema,
  testWebhookSchema,
} from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { defineRoute, type Principal } from '@tocsin/identity';
import type { Route } from '@tocsin/kit';
import { inWorkspace, workspaceParams } from '../api-route.js';
import { checkProbe, type WebhookChecks } from './check-webhook.js';
import { type ProbeSender, probe } from './probe.js';
import type { ProbeLimit } from './probe-limit.js';
import { previewTemplate, renderSample, type SampleRenderer } from './render-sample.js';
import { decryptSecrets } from './stored-webhook.js';
import type { TemplateBudget } from './template-budget.js';
import { toWebhook, webhookParams, webhookPath, webhooksPath } from './webhook-path.js';
import { webhookUnopened } from './webhook-use-cases.js';
import type { WebhooksRepository } from './webhooks-repository.js';

export interface TestRoutesDeps {
  repository: WebhooksRepository;
  secretBox: SecretBox;
  checks: WebhookChecks;
  renderer: SampleRenderer;
  templateBudget: TemplateBudget;
  sender: ProbeSender;
  limit: ProbeLimit;
}

const tag = 'webhooks';

/** Trying a destination, a saved webhook, or a template, before an alert does. */
export function testRoutes(deps: TestRoutesDeps): Route<Principal>[] {
  return [testRoute(deps), testSavedRoute(deps), previewRoute(deps)];
}

function testRoute({ checks, sender, limit }: TestRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: `${webhooksPath}/test`,
    operationId: 'testWebhook',
    summary: 'Sends a body as it is to a destination, and tells what came of it.',
    tag,
    access: inWorkspace('workspace_test_webhook'),
    params: workspaceParams,
    body: testWebhookSchema,
    responses: { 200: { description: 'What came of it.', schema: testResultSchema } },
    async handler({ resource, body: { url, headers = {}, body }, signal }) {
      const request = { url, headers, body };
      checkProbe(request, checks);
      limit.take(resource.workspaceId);
      return { status: 200, body: await probe(request, { sender, signal }) };
    },
  });
}

function testSavedRoute(deps: TestRoutesDeps): Route<Principal> {
  const { repository, secretBox, renderer, templateBudget, sender, limit } = deps;
  return defineRoute({
    method: 'POST',
    path: `${webhookPath}/test`,
    operationId: 'testSavedWebhook',
    summary: 'Sends a saved webhook’s template, rendered with sample values or a given context.',
    tag,
    access: toWebhook('workspace_test_webhook', repository),
    params: webhookParams,
    body: testSavedWebhookSchema,
    responses: { 200: { description: 'What came of it.', schema: savedTestResultSchema } },
    problems: [404, 409],
    async handler({ resource, body, signal }) {
      limit.take(resource.workspaceId);
      const secrets = decryptSecrets(secretBox, resource);
      if (secrets === undefined) throw webhookUnopened();
      const { url, headers, body: template } = secrets;
      const { rendered, error } = templateBudget.spend(resource.workspaceId, () =>
        renderSample(template, body.context, renderer),
      );
      if (rendered === null || error !== null) {
        const notSent = { response: null, success: false, duration_ms: 0, likely_cause: null };
        return { status: 200, body: { error, ...notSent, rendered } };
      }
      const result = await probe({ url, headers, body: rendered }, { sender, signal });
      return { status: 200, body: { ...result, rendered } };
    },
  });
}

function previewRoute({ checks, renderer, templateBudget }: TestRoutesDeps): Route<Principal> {
  return defineRoute({
    method: 'POST',
    path: `${webhooksPath}/preview`,
    operationId: 'previewTemplate',
    summary: 'Renders a template with sample values, and the given context over them; nothing is sent.',
    tag,
    access: inWorkspace('workspace_test_webhook'),
    params: workspaceParams,
    body: previewTemplateSchema,
    responses: { 200: { description: 'The rendering.', schema: previewSchema } },
    handler: ({ resource, body: { body, context } }) => ({
      status: 200,
      body: templateBudget.spend(resource.workspaceId, () =>
        previewTemplate(body, context, { checks, renderer }),
      ),
    }),
  });
}
