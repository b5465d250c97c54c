/** Broadcasts among instances go to this exchange (fan-out by topic, contract §3). */
export const eventsExchange = 'tocsin.events';
export const apiKeyDeactivatedKey = 'api-key.deactivated';

/** Every engine-auth instance drops the key from its cache. Losing one only means waiting for the cache's 10 seconds. */
export interface ApiKeyDeactivated {
  id: string;
}
