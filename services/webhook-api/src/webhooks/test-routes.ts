import { randomUUID } from 'node:crypto';
import {
  previewSchema,
  previewTemplateSchema,
  savedTestResultSchema,
  testResultSchema,
  testSavedWebhookSchema,
  testWebhookSchema,
} from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { addedHeaders, signingKeyOf } from '@tocsin/egress';
import { defineRoute, type Principal } from '@tocsin/identity';
import { createRateLimiter, invalidBody, type Route, requireWithinLimit } from '@tocsin/kit';
import { factsOf } from '../alerts/alert-facts.js';
import type { AlertsReader } from '../alerts/alerts-reader.js';
import { inWorkspace, ofResource, workspaceParams } from '../api-route.js';
import type { WebhookChecks } from './check-webhook.js';
import { readSigningSecrets } from './signing-secret-routes.js';
import type { SigningSecretsRepository } from './signing-secrets-repository.js';
import { requireSecrets } from './stored-webhook.js';
import type { Templates } from './templates.js';
import { type TestSender, testSend } from './test-send.js';
import { type webhookLoader, webhookParams, webhookPath, webhooksPath } from './webhook-path.js';

export interface TestRoutesDeps {
  load: ReturnType<typeof webhookLoader>;
  secretBox: SecretBox;
  signingSecrets: SigningSecretsRepository;
  sender: TestSender;
  checks: Pick<WebhookChecks, 'checkTest' | 'errorsOfTest'>;
  templates: Templates;
  alerts: Pick<AlertsReader, 'find'>;
  /** Maximum number of tests per minute for each workspace. */
  testsPerMinute: number;
}

const tag = 'webhooks';
const noSigningSecret =
  'no_signing_secret: The webhook signs its requests and has no signing secret, so nothing was sent.';

/** Returns the routes that test destinations, saved webhooks and templates. */
export function testRoutes(deps: TestRoutesDeps): Route<Principal>[] {
  const { load, secretBox, signingSecrets, sender, checks, templates, alerts } = deps;
  // The number of tests is limited, because a caller chooses the URL to which a test sends a request.
  const limiter = createRateLimiter({ perMinute: deps.testsPerMinute });
  const countTest = (workspaceId: string) =>
    requireWithinLimit(limiter.consume(workspaceId), 'Too many tests in this workspace within a minute.');
  const findFacts = async (workspaceId: string, alertId: string) => {
    const alert = await alerts.find(workspaceId, alertId.toLowerCase());
    if (alert !== undefined) return factsOf(alert);
    const message = 'must be an alert of this workspace that has been processed';
    throw invalidBody([{ path: '/alert_id', message }]);
  };
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
      furtherErrors: (body) => checks.errorsOfTest(body),
      responses: { 200: { description: 'The result of the test.', schema: testResultSchema } },
      async handler({ resource, body: { url, headers = {}, body }, aborted }) {
        const request = { url, headers, body };
        checks.checkTest(request);
        countTest(resource.workspaceId);
        return { status: 200, body: await testSend(request, { sender, signal: aborted.signal }) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${webhookPath}/test`,
      operationId: 'testSavedWebhook',
      summary:
        'Sends the template of a saved webhook, rendered with sample values, a past alert or a given context.',
      description: 'The variable `is_test` is true, so that a template can mark the request as a test.',
      tag,
      access: ofResource('workspace_test_webhook', load),
      params: webhookParams,
      body: testSavedWebhookSchema,
      responses: { 200: { description: 'The result of the test.', schema: savedTestResultSchema } },
      problems: [404, 409],
      async handler({ resource, body: { context, alert_id: alertId }, aborted }) {
        const { workspaceId } = resource;
        countTest(workspaceId);
        const secrets = requireSecrets(secretBox, resource);
        const facts = alertId === undefined ? undefined : await findFacts(workspaceId, alertId);
        const values = { facts, context, isTest: true };
        const { rendered, error } = templates.render(workspaceId, secrets.body, values);
        const keys = resource.signing
          ? await readSigningSecrets(resource, { repository: signingSecrets, secretBox })
          : undefined;
        const failure = error ?? (keys?.length === 0 ? noSigningSecret : null);
        if (rendered === null || failure !== null) {
          const notSent = { response: null, success: false, duration_ms: 0, likely_cause: null };
          return { status: 200, body: { error: failure, ...notSent, rendered } };
        }
        const rawHeaders = addedHeaders({
          // A test has no delivery, so the id is random.
          id: randomUUID(),
          body: rendered,
          atMs: Date.now(),
          keys: (keys ?? []).map(signingKeyOf),
          idempotencyHeader: resource.idempotencyHeader,
        });
        const request = {
          ...secrets,
          body: rendered,
          rawHeaders,
          timeoutMs: resource.timeoutMs ?? undefined,
        };
        const result = await testSend(request, { sender, signal: aborted.signal });
        return { status: 200, body: { ...result, rendered } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${webhooksPath}/preview`,
      operationId: 'previewTemplate',
      summary: 'Renders a template with sample values or the given context, without sending the result.',
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
