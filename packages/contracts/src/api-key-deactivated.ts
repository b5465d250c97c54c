/** Topic exchange for broadcasts between instances. */
export const eventsExchange = 'tocsin.events';
export const apiKeyDeactivatedKey = 'api-key.deactivated';

/**
 * Message about a deactivated API key. Every engine-auth instance removes the key from its cache. If the message is
 * lost, the cached key expires after 10 s.
 */
export interface ApiKeyDeactivated {
  id: string;
}
