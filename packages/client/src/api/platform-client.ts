import { axiosSend } from './axios-send.js';
import { type ClientOptions, transportOptions } from './client-options.js';
import { createPlatformApi, type PlatformApiOptions, type PlatformClient } from './platform-api.js';
import { createTransport } from './transport.js';

export interface PlatformClientOptions extends ClientOptions, PlatformApiOptions {}

/**
 * @example
 * const tocsin = createPlatformClient({ url: 'https://tocsin.example.com', credential: session, workspaceId });
 * for await (const delivery of tocsin.deliveries.list({ status: 'failed' })) console.log(delivery.error);
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { credential } = options;
  const send = createTransport(transportOptions(options, { credential, httpSend: axiosSend }));
  return createPlatformApi(send, { ...options });
}
