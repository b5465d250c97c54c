import { type ApiKeyDeactivated, apiKeyDeactivatedKey, eventsExchange } from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import { type Broker, createPublisher, listenToBroadcasts } from '@tocsin/messaging';

export interface DeactivationBroadcast {
  /**
   * Tells all instances that the key is deactivated. The promise never rejects. If the broadcast is lost, an instance
   * that has cached the key can accept it for up to 10 s.
   */
  announce(id: string): Promise<void>;
}

/**
 * Creates the publisher of key deactivations, and subscribes to the broadcasts of all instances. `onDeactivated` is
 * called with the key's id for each readable broadcast, including the broadcasts of this instance.
 */
export async function createDeactivationBroadcast(
  broker: Broker,
  { onDeactivated, logger }: { onDeactivated: (id: string) => void; logger: Logger },
): Promise<DeactivationBroadcast> {
  const publisher = await createPublisher(broker);
  await listenToBroadcasts(broker, {
    routingKey: apiKeyDeactivatedKey,
    onMessage: (content) => {
      const id = readId(content);
      if (id === undefined) logger.warn({ bytes: content.length }, 'api_key.broadcast_unreadable');
      else onDeactivated(id);
    },
  });
  return {
    async announce(id) {
      const message: ApiKeyDeactivated = { id };
      try {
        await publisher.publish({
          exchange: eventsExchange,
          routingKey: apiKeyDeactivatedKey,
          content: Buffer.from(JSON.stringify(message)),
        });
      } catch (err) {
        logger.warn({ err, api_key_id: id }, 'api_key.broadcast_lost');
      }
    },
  };
}

function readId(content: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(content.toString('utf8')) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
