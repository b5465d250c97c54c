/** Description of the request that a destination receives, for the section `webhooks` of the OpenAPI document. */
export const deliveredRequest = {
  delivery: {
    post: {
      operationId: 'deliver',
      summary: 'An alert, rendered by the template of a webhook.',
      description: [
        'One POST to the url of the webhook. The body is what its template renders for the alert; it is always JSON.',
        'Only the configured headers are sent, besides Host, Content-Length and Connection: without a configured Content-Type there is none. A webhook with `signing` adds webhook-id, webhook-timestamp and webhook-signature, and one with `idempotency_header` adds this header.',
        'A status from 200 to 299 ends the delivery as succeeded. After 408, 425, 429, a status from 500, a timeout (10 seconds by default) or a lost connection the delivery is sent again, so a destination can receive it more than once. It is not sent again after a timeout if `retry_on_timeout` of the webhook is false.',
      ].join(' '),
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { description: 'Any JSON value. The template of the webhook defines it.' },
            examples: {
              chat: {
                summary: 'The body of a chat message',
                value: { text: 'Accuracy below target: Loan approval v2 is at 0.87' },
              },
              event: {
                summary: 'All values of the alert',
                value: {
                  alert_id: '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33',
                  alert_rule_name: 'Accuracy below target',
                  model_name: 'Loan approval v2',
                  metric_value: 0.8734567,
                  threshold: 0.9,
                  bound: 'lower_bound',
                  state: 'firing',
                  labels: { team: 'risk' },
                  fired_at: '2026-01-31T12:00:00.123456Z',
                },
              },
            },
          },
        },
      },
      responses: {
        '2XX': {
          description: 'The delivery succeeded. The first 64 KiB of the body are kept in the record.',
        },
        '3XX': { description: 'The delivery failed. Redirects are not followed.' },
        '4XX': { description: 'The delivery failed; after 408, 425 and 429 it is sent again.' },
        '429': {
          description: 'The delivery is sent again, after `Retry-After` (at most one hour) at the earliest.',
        },
        '5XX': {
          description: 'The delivery is sent again, after `Retry-After` (at most one hour) at the earliest.',
        },
      },
    },
  },
} as const;
