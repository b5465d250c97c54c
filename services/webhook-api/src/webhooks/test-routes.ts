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
import { createRateLimiter, type Route, requireWithinLimit } from '@tocsin/kit';
import { inWorkspace, ofResource, workspaceParams } from '../api-route.js';
import type { WebhookChecks } from './check-webhook.js';
import { requireSecrets } from './stored-webhook.js';
import type { Templates } from './templates.js';
import { type TestSender, testSend } from './test-send.js';
import { type webhookLoader, webhookParams, webhookPath, webhooksPath } from './webhook-path.js';

export interface TestRoutesDeps {
  load: ReturnType<typeof webhookLoader>;
  secretBox: SecretBox;
  sender: TestSender;
  checks: Pick<WebhookChecks, 'checkTest'>;
  templates: Templates;
  /** Limit for each workspace. */
  testsPerMinute: number;
}

const tag = 'webhooks';

/** Tests of destinations, saved webhooks and templates. */
export function testRoutes(deps: TestRoutesDeps): Route<Principal>[] {
  const { load, secretBox, sender, checks, templates } = deps;
  // Tests send requests to any URL that the caller names.
  const limiter = createRateLimiter({ perMinute: deps.testsPerMinute });
  const countTest = (workspaceId: string) =>
    requireWithinLimit(limiter.consume(workspaceId), 'Too many tests in this workspace within a minute.');
  return [
    defineRoute({
      method: 'POST',
      path: `${webhooksPath}/test`,
      operationId: 'testWebhook',
      summary: 'Sends a body unchanged to a destination and returns the result.',
      tag,
      access: inWorkspace('workspace_test_webhook'),
      params: workspaceParams,
      body: testWebhookSchema,
      responses: { 200: { description: 'The result of the test.', schema: testResultSchema } },
      async handler({ resource, body: { url, headers = {}, body }, signal }) {
        const request = { url, headers, body };
        checks.checkTest(request);
        countTest(resource.workspaceId);
        return { status: 200, body: await testSend(request, { sender, signal }) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${webhookPath}/test`,
      operationId: 'testSavedWebhook',
      summary: 'Sends the template of a saved webhook, rendered with sample values or a given context.',
      tag,
      access: ofResource('workspace_test_webhook', load),
      params: webhookParams,
      body: testSavedWebhookSchema,
      responses: { 200: { description: 'The result of the test.', schema: savedTestResultSchema } },
      problems: [404, 409],
      async handler({ resource, body: { context }, signal }) {
        countTest(resource.workspaceId);
        const secrets = requireSecrets(secretBox, resource);
        const { rendered, error } = templates.render(resource.workspaceId, secrets.body, context);
        if (rendered === null || error !== null) {
          const notSent = { response: null, success: false, duration_ms: 0, likely_cause: null };
          return { status: 200, body: { error, ...notSent, rendered } };
        }
        const result = await testSend({ ...secrets, body: rendered }, { sender, signal });
        return { status: 200, body: { ...result, rendered } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${webhooksPath}/preview`,
      operationId: 'previewTemplate',
      summary: 'Renders a template with sample values, which the given context overrides. Nothing is sent.',
      tag,
      access: inWorkspace('workspace_test_webhook'),
      params: workspaceParams,
      body: previewTemplateSchema,
      responses: { 200: { description: 'The rendering.', schema: previewSchema } },
      handler: ({ resource: { workspaceId }, body: { body, context } }) => ({
        status: 200,
        body: templates.preview(workspaceId, body, context),
      }),
    }),
  ];
}
