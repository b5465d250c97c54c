import specs from '@asyncapi/specs';
import { alertFiredSchema, createAlertFiredCheck } from '@tocsin/contracts';
import { Ajv } from 'ajv';
import { useApi } from './support/api.js';

interface Document {
  channels: { alerts: { address: string; bindings: { amqp: { exchange: { name: string } } } } };
  components: {
    messages: { alertFired: { examples: { payload: object }[] } };
    schemas: { AlertFired: object };
  };
}

const api = useApi();
let document: Document;
beforeAll(async () => {
  document = (await (await fetch(`${api.url}/asyncapi.json`)).json()) as Document;
});

test("the AsyncAPI document is valid by AsyncAPI's own schema, including bindings", () => {
  const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, validateFormats: false });
  const validate = ajv.compile(specs.schemas['3.0.0'] as object);
  validate(document);
  expect(validate.errors).toBeNull();
  const { address: _, ...channel } = document.channels.alerts;
  const wrong = { ...channel, bindings: { amqp: { is: 'topic', bindingVersion: '0.3.0' } } };
  expect(validate({ ...document, channels: { alerts: wrong } })).toBe(false);
});

test('every reference in the AsyncAPI document leads to a part of the document', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(references.length).toBeGreaterThan(4);
  for (const path of references) {
    const part = path
      .split('/')
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], document);
    expect([path, part]).toEqual([path, expect.any(Object)]);
  }
});

test('the payload in the AsyncAPI document is the schema that validates messages', () => {
  expect(document.components.schemas.AlertFired).toMatchObject(JSON.parse(JSON.stringify(alertFiredSchema)));
  expect(document.channels.alerts).toMatchObject({
    address: 'alert.fired',
    bindings: { amqp: { exchange: { name: 'tocsin.alerts' } } },
  });
});

test('every example in the AsyncAPI document is a valid message', () => {
  const check = createAlertFiredCheck();
  const { examples } = document.components.messages.alertFired;
  expect(examples.map(({ payload }) => check(payload))).toEqual(
    examples.map(() => expect.objectContaining({ ok: true })),
  );
});
