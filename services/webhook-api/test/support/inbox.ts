import { type AlertFired, alertFiredKey, pipelineMarkerKey } from '@tocsin/contracts';
import { alertFiredQueue, createBroker, createConsumer } from '@tocsin/messaging';
import { until } from '@tocsin/testing';

/** Consumes the queue of alerts in place of a worker, and collects the messages except pipeline markers. */
export async function startInbox(amqpUrl: string) {
  const broker = await createBroker({ url: amqpUrl, name: 'test-inbox' });
  const messages: Buffer[] = [];
  const requestIds = new Map<string, unknown>();
  await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 1_000,
    handle(message) {
      const { content, routingKey, requestId } = message;
      if (routingKey === pipelineMarkerKey) return message.ack();
      expect(routingKey).toBe(alertFiredKey);
      requestIds.set(content.toString('latin1'), requestId);
      messages.push(content);
      message.ack();
    },
    onError: (error) => {
      throw error;
    },
  });
  await broker.ready();
  return {
    messages,
    /** Returns the request id of the latest message with these bytes. */
    requestIdOf: (content: Buffer) => requestIds.get(content.toString('latin1')),
    /** Waits for the first message with this alert id. */
    alert: (alertId: string): Promise<AlertFired> =>
      until(`the alert ${alertId} is published`, () => {
        const content = messages.find((message) => message.includes(alertId));
        return content && JSON.parse(content.toString('utf8'));
      }),
    /** Waits until `count` messages with these bytes have arrived, and returns their number. */
    copiesOf: (content: Buffer, count: number): Promise<number> =>
      until(`${count} copies are published`, () => {
        const copies = messages.filter((message) => message.equals(content)).length;
        return copies >= count ? copies : undefined;
      }),
    close: () => broker.close(),
  };
}
