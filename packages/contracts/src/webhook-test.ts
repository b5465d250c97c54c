import type { FromSchema } from 'json-schema-to-ts';

/** A probe of a destination: the body is sent byte for byte as given and need not be JSON. */
export const testWebhookSchema = {
  title: 'TestWebhook',
  type: 'object',
  additionalProperties: false,
  properties: {
    url: { type: 'string', description: 'An absolute http or https URL.' },
    headers: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    body: { type: 'string', description: 'Sent as it is; 64 KiB at most.' },
  },
  required: ['url', 'body'],
} as const;

const context = {
  type: 'object',
  description: 'Template variables; they are put over the sample values of the ten that are always there.',
} as const;

/** A probe with a saved webhook: its template rendered with sample values, or with a given context. */
export const testSavedWebhookSchema = {
  title: 'TestSavedWebhook',
  type: 'object',
  additionalProperties: false,
  properties: { context },
} as const;

export const previewTemplateSchema = {
  title: 'PreviewTemplate',
  type: 'object',
  additionalProperties: false,
  properties: { body: { type: 'string', description: 'A template, 64 KiB at most.' }, context },
  required: ['body'],
} as const;

export const previewSchema = {
  title: 'Preview',
  type: 'object',
  additionalProperties: false,
  properties: {
    rendered: { type: ['string', 'null'], description: 'Null where the template does not render.' },
    error: { type: ['string', 'null'], description: '`code: sentence`, or null.' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['rendered', 'error', 'warnings'],
} as const;

const properties = {
  error: {
    type: ['string', 'null'],
    description: '`code: sentence`; null whenever an HTTP answer came, whatever its status.',
  },
  response: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      status_code: { type: 'integer' },
      response: { type: 'string', description: 'The answer’s body as text, 64 KiB at most.' },
    },
    required: ['status_code', 'response'],
  },
  success: { type: 'boolean', description: 'An answer came, and its status is 299 or less.' },
  duration_ms: { type: 'integer', minimum: 0 },
  likely_cause: {
    type: ['string', 'null'],
    description: 'What a status of 400, 401, 403 or 404 usually means.',
  },
} as const;

const required = ['error', 'response', 'success', 'duration_ms', 'likely_cause'] as const;

export const testResultSchema = {
  title: 'TestResult',
  type: 'object',
  additionalProperties: false,
  properties,
  required,
} as const;

export const savedTestResultSchema = {
  title: 'SavedTestResult',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    rendered: {
      type: ['string', 'null'],
      description: 'The body that was sent; not sent where `error` says that it is not JSON.',
    },
  },
  required: [...required, 'rendered'],
} as const;

export type TestWebhook = FromSchema<typeof testWebhookSchema>;
export type Preview = FromSchema<typeof previewSchema>;
export type TestResult = FromSchema<typeof testResultSchema>;
