import { type AlertFired, alertFiredKey, requestIdHeader } from '@tocsin/contracts';
import { alertFiredQueue, createBroker, createConsumer } from '@tocsin/messaging';

/** What arrives on the queue of alerts, in place of a worker. */
export async function startInbox(amqpUrl: string) {
  const broker = await createBroker({ url: amqpUrl, name: 'test-inbox' });
  const messages: Buffer[] = [];
  const requestIds = new Map<string, unknown>();
  await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 1_000,
    handle: async ({ content, routingKey, headers }) => {
      expect(routingKey).toBe(alertFiredKey);
      requestIds.set(content.toString('latin1'), headers[requestIdHeader]);
      messages.push(content);
    },
    onError: (error) => {
      throw error;
    },
  });
  await broker.ready();
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    messages,
    /** What the message that arrived last with these exact bytes said of its request. */
    requestIdOf: (content: Buffer) => requestIds.get(content.toString('latin1')),
    /** The first message of an alert, waited for. */
    alert: (alertId: string): Promise<AlertFired> =>
      until(() => {
        const content = messages.find((message) => message.includes(alertId));
        return content && JSON.parse(content.toString('utf8'));
      }),
    /** Copies of these exact bytes, waited for until there are `count`. */
    copiesOf: (content: Buffer, count: number): Promise<number> =>
      until(() => {
        const copies = messages.filter((message) => message.equals(content)).length;
        return copies >= count ? copies : undefined;
      }),
    close: () => broker.close(),
  };
}
