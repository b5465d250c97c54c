import { prepareDocument } from './prepare-document.js';

const values = {
  url: 'http://127.0.0.1:9/fuzz',
  bodies: ['{}'],
  ids: { webhook_id: ['kept'], alert_rule_id: ['rule'] },
  deletableIds: { webhook_id: ['deletable'] },
};

const idParameter = () => ({ name: 'webhook_id', in: 'path', schema: { type: 'string', format: 'uuid' } });

const document = {
  paths: {
    '/webhooks/{webhook_id}': {
      patch: {
        parameters: [idParameter(), { name: 'force', in: 'query', schema: { type: 'boolean' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/PatchWebhook' },
              example: { url: 'https://chat.example.com/hook', alert_rule_id: 'unknown' },
            },
          },
        },
        responses: { 200: {}, default: {} },
      },
      delete: { parameters: [idParameter()], responses: { 204: {}, default: {} } },
    },
    '/alerts/batch': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'array',
                'x-items-apart': true,
                items: { $ref: '#/components/schemas/PublishAlert' },
              },
            },
          },
        },
        responses: { 200: {}, default: {} },
      },
    },
  },
  components: {
    schemas: {
      PatchWebhook: {
        properties: {
          url: { type: 'string', format: 'uri' },
          alert_rule: {
            properties: { notification_webhook_ids: { type: 'array', items: { type: 'string' } } },
          },
        },
        examples: [{ url: 'http://example.com' }],
      },
      PublishAlert: { properties: { alert_rule_id: { type: 'string', format: 'uuid' } } },
      Webhook: { properties: { url: { type: 'string', format: 'uri' } } },
    },
  },
};

const prepared = prepareDocument(document, values) as typeof document;
const { patch, delete: deletion } = prepared.paths['/webhooks/{webhook_id}'];
const { PatchWebhook, PublishAlert, Webhook } = prepared.components.schemas;

test('a prepared OpenAPI document keeps responses with a status, but no `default` responses', () => {
  expect([Object.keys(patch.responses), Object.keys(deletion.responses)]).toEqual([['200'], ['204']]);
});

test('the only URL in prepared request schemas and examples is that of the test destination', () => {
  expect(PatchWebhook.properties.url).toEqual({ type: 'string', enum: [values.url] });
  expect(PatchWebhook.examples).toEqual([{ url: values.url }]);
  expect(patch.requestBody.content['application/json'].example).toEqual({
    url: values.url,
    alert_rule_id: 'rule',
  });
});

test('prepared schemas suggest known ids, and for deletions only ids of deletable resources', () => {
  const uuid = { type: 'string', format: 'uuid' };
  expect(patch.parameters[0]!.schema).toEqual({ anyOf: [{ const: 'kept' }, uuid] });
  expect(deletion.parameters[0]!.schema).toEqual({ anyOf: [{ const: 'deletable' }, uuid] });
  const { items } = PatchWebhook.properties.alert_rule.properties.notification_webhook_ids;
  expect(items).toEqual({ anyOf: [{ const: 'kept' }, { type: 'string' }] });
  expect(PublishAlert.properties.alert_rule_id).toEqual({ anyOf: [{ const: 'rule' }, uuid] });
});

test('the prepared schema of a list allows invalid items if the API checks each item separately', () => {
  const { schema } = prepared.paths['/alerts/batch'].post.requestBody.content['application/json'];
  expect(schema.items).toEqual({ anyOf: [{ $ref: '#/components/schemas/PublishAlert' }, {}] });
});

test('preparing a document changes neither its response schemas nor the original document', () => {
  expect(Webhook).toEqual(document.components.schemas.Webhook);
  expect(document.paths['/webhooks/{webhook_id}'].patch.responses).toHaveProperty('default');
});
