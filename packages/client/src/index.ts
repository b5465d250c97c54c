export {
  createEngineClient,
  type EngineClient,
  type EngineClientOptions,
  type KeysApi,
  type VerifiedCaller,
  type VerifyOptions,
} from './api/engine-client.js';
export { createPlatformClient, type PlatformClientOptions } from './api/platform-client.js';
export { type Clock, systemClock } from './clock.js';
export * from './platform-exports.js';
export { AlertNotPublishedError, type AlertPublisher, type FiredAlert } from './publish/alert-publisher.js';
export { type AmqpPublisherOptions, createAmqpPublisher } from './publish/amqp-publisher.js';
export { type CellPublisherOptions, createCellPublisher } from './publish/cell-publisher.js';
export { type AlertProblem, createAlertCheck } from './publish/check-alert.js';
export type { PublisherOptions } from './publish/create-alert-publisher.js';
export { createHttpPublisher, type HttpPublisherOptions } from './publish/http-publisher.js';
export {
  type ClientCredentialsOptions,
  ClientCredentialsSession,
} from './sessions/client-credentials-session.js';
export type { DeviceCode } from './sessions/device-login.js';
export { DeviceSession, type DeviceSessionOptions } from './sessions/device-session.js';
export { SessionError, type SessionErrorCode } from './sessions/session-error.js';
export { receiveSession, shareSession } from './sessions/share-session.js';
export type { TokenStore } from './sessions/token-store.js';
export type { Tokens } from './sessions/tokens.js';
