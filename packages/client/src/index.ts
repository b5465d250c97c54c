export { type Clock, systemClock } from './clock.js';
export {
  type ClientCredentialsOptions,
  ClientCredentialsSession,
} from './sessions/client-credentials-session.js';
export type { DeviceCode } from './sessions/device-login.js';
export { DeviceSession, type DeviceSessionOptions } from './sessions/device-session.js';
export type { Session, TokenRequest } from './sessions/session.js';
export { SessionError, type SessionErrorCode } from './sessions/session-error.js';
export { receiveSession, shareSession } from './sessions/share-session.js';
export type { TokenStore } from './sessions/token-store.js';
export type { Tokens } from './sessions/tokens.js';
export { TocsinError } from './tocsin-error.js';
