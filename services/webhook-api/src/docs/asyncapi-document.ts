import { alertFiredKey, alertFiredSchema, alertsExchange, requestIdHeader } from '@tocsin/contracts';
import { traceparentHeader } from '@tocsin/kit';
import { alertFiredQueue, unroutedExchange, unroutedQueue } from '@tocsin/messaging';

const amqp = { bindingVersion: '0.3.0' } as const;

/**
 * Creates the AsyncAPI 3 document of the messages that other programs publish, from the schema that validates them.
 * AsyncAPI describes messages from the side of the application, so the document says that Tocsin receives them.
 */
export function createAsyncApiDocument() {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tocsin alerts',
      version: '1',
      description:
        'Messages that monitors publish to RabbitMQ. Publish them persistent and mandatory, with publisher confirms: an alert is safe once the broker has confirmed it. A message that cannot be processed becomes a dead letter.',
    },
    defaultContentType: 'application/json',
    servers: {
      broker: {
        host: '{host}:{port}',
        protocol: 'amqp',
        protocolVersion: '0.9.1',
        description: 'The RabbitMQ broker of the deployment; its operator gives address and credentials.',
        variables: { host: { default: 'localhost' }, port: { default: '5672' } },
        security: [{ $ref: '#/components/securitySchemes/broker' }],
      },
    },
    channels: {
      alerts: {
        address: alertFiredKey,
        title: 'Alerts',
        description: `Exchange \`${alertsExchange}\`, routing key \`${alertFiredKey}\`, bound to the quorum queue \`${alertFiredQueue}\`. Messages with another routing key go to the alternate exchange \`${unroutedExchange}\` and the queue \`${unroutedQueue}\`, and become dead letters.`,
        messages: { alertFired: { $ref: '#/components/messages/alertFired' } },
        bindings: {
          amqp: {
            is: 'routingKey',
            exchange: { name: alertsExchange, type: 'topic', durable: true, autoDelete: false },
            ...amqp,
          },
        },
      },
    },
    operations: {
      receiveAlert: {
        action: 'receive',
        channel: { $ref: '#/channels/alerts' },
        title: 'Receive an alert',
        summary: 'Delivers the alert to the webhooks of its rule.',
        messages: [{ $ref: '#/channels/alerts/messages/alertFired' }],
        bindings: { amqp: { deliveryMode: 2, mandatory: true, ack: true, ...amqp } },
      },
    },
    components: {
      messages: {
        alertFired: {
          name: 'alert.fired',
          title: 'Alert fired',
          summary: 'An alert rule fired, or an alert is resolved.',
          contentType: 'application/json',
          headers: {
            type: 'object',
            properties: {
              [requestIdHeader]: {
                type: 'string',
                description: 'Id for the logs of Tocsin, to find the alert there. Optional.',
              },
              [traceparentHeader]: {
                type: 'string',
                description: 'W3C Trace Context: the spans of the alert continue this trace. Optional.',
              },
            },
          },
          payload: { $ref: '#/components/schemas/AlertFired' },
          bindings: { amqp: { messageType: 'alert.fired', ...amqp } },
          examples: alertExamples.map((payload, index) => ({ name: exampleNames[index], payload })),
        },
      },
      schemas: {
        AlertFired: {
          title: 'AlertFired',
          description: 'Unknown members are ignored.',
          ...alertFiredSchema,
        },
      },
      securitySchemes: {
        broker: { type: 'userPassword', description: 'User and password of the broker.' },
      },
    },
  };
}

const exampleNames = ['registeredRule', 'ownRule'];

const alertExamples = [
  {
    type: 'alert.fired',
    version: 1,
    alert_id: '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33',
    workspace_id: '5e0b9a77-6a2d-4f0f-b1c3-d2e4f6a8b0c1',
    fired_at: '2026-01-31T12:00:00.123456Z',
    alert_rule_id: '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50',
    model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
    model_name: 'Loan approval v2',
    metric_value: 0.8734567,
    state: 'firing',
    labels: { team: 'risk' },
    annotations: { summary: 'Accuracy fell within an hour.', link: 'https://monitor.example.com/runs/42' },
  },
  {
    alert_id: '5b6f0c3a-7f0e-4f5e-8a3a-9d1c2b3a4f5e',
    workspace_id: '5e0b9a77-6a2d-4f0f-b1c3-d2e4f6a8b0c1',
    fired_at: '2026-01-31T12:05:00Z',
    alert_rule_id: '8e2d1c0b-3a4f-4e5d-9c6b-7a8f9e0d1c2b',
    model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
    model_name: 'Loan approval v2',
    metric_value: 0.62,
    alert_rule: {
      name: 'Drift above limit',
      enabled: true,
      threshold: 0.5,
      bound: 'upper_bound',
      notification_webhook_ids: ['1f2e3d4c-5b6a-4978-8695-a4b3c2d1e0f9'],
    },
  },
];
