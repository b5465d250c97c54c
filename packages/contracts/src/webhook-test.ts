import type { FromSchema } from 'json-schema-to-ts';
import { likelyCauseSchema } from './attempt.js';
import { count, uuid } from './common-schemas.js';
import { webhookHeaders, webhookUrl } from './webhook.js';

/** Schema of a test of a destination. The body is sent byte for byte and does not have to be JSON. */
export const testWebhookSchema = {
  title: 'TestWebhook',
  type: 'object',
  additionalProperties: false,
  properties: {
    url: webhookUrl,
    headers: webhookHeaders,
    body: { type: 'string', description: 'Body of the request, which is not rendered. At most 64 KiB.' },
  },
  required: ['url', 'body'],
  examples: [{ url: 'https://chat.example.com/hooks/alerts', body: '{"text": "A test"}' }],
} as const;

const context = {
  type: 'object',
  description:
    'Template variables. They replace the values of the sample alert, or of the alert that `alert_id` names.',
} as const;

/**
 * Schema of a test of a saved webhook. Its template is rendered with sample values, with a past alert or with the given
 * context.
 */
export const testSavedWebhookSchema = {
  title: 'TestSavedWebhook',
  type: 'object',
  additionalProperties: false,
  properties: {
    alert_id: {
      ...uuid,
      description:
        'Id of a past alert of the workspace. The template gets its values instead of the sample values.',
    },
    context,
  },
  examples: [{ context: { model_name: 'Loan approval v2' } }],
} as const;

export const previewTemplateSchema = {
  title: 'PreviewTemplate',
  type: 'object',
  additionalProperties: false,
  properties: { body: { type: 'string', description: 'A template, 64 KiB at most.' }, context },
  required: ['body'],
  examples: [{ body: '{"text": "{{ model_name }}"}', context: { model_name: 'Loan approval v2' } }],
} as const;

export const previewSchema = {
  title: 'Preview',
  type: 'object',
  additionalProperties: false,
  properties: {
    rendered: { type: ['string', 'null'], description: 'Null if the template does not render.' },
    error: { type: ['string', 'null'], description: 'Error as `code: sentence`, or null.' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['rendered', 'error', 'warnings'],
  examples: [{ rendered: '{"text": "Loan approval v2"}', error: null, warnings: [] }],
} as const;

const properties = {
  error: {
    type: ['string', 'null'],
    description: 'Error as `code: sentence`. Null if there was an HTTP response, with any status.',
  },
  response: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      status_code: { type: 'integer' },
      response: { type: 'string', description: 'Response body as text, 64 KiB at most.' },
    },
    required: ['status_code', 'response'],
  },
  success: { type: 'boolean', description: 'True: there was a response with a status of at most 299.' },
  duration_ms: count,
  likely_cause: likelyCauseSchema,
} as const;

const required = ['error', 'response', 'success', 'duration_ms', 'likely_cause'] as const;

const examples = [
  { response: { status_code: 200, response: 'ok' }, success: true, duration_ms: 120 },
] as const;

export const testResultSchema = {
  title: 'TestResult',
  type: 'object',
  additionalProperties: false,
  properties,
  required,
  examples,
} as const;

export const savedTestResultSchema = {
  title: 'SavedTestResult',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    error: {
      ...properties.error,
      description:
        'Error as `code: sentence`. Null if there was an HTTP response, with any status. Besides the codes of attempts, the code can be `no_signing_secret`: the webhook signs its requests and has no secret, so nothing was sent.',
    },
    rendered: {
      type: ['string', 'null'],
      description: 'Rendered body. It was not sent if `error` says that it is not JSON.',
    },
  },
  required: [...required, 'rendered'],
  examples: [{ ...examples[0], rendered: '{"text": "Accuracy below target: Loan approval v2"}' }],
} as const;

export type TestWebhook = FromSchema<typeof testWebhookSchema>;
export type Preview = FromSchema<typeof previewSchema>;
export type TestResult = FromSchema<typeof testResultSchema>;
