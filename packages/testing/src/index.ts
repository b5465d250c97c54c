// Test helpers that need no server: waiting, TCP proxy, HTTP receiver. Helpers for PostgreSQL and RabbitMQ are in
// `./database` and `./broker`.

export { type HttpReceiver, type ReceivedRequest, startHttpReceiver } from './http-receiver.js';
export { type Program, type ProgramOptions, startProgram } from './program.js';
export { propertyRuns } from './property-runs.js';
export { type RawServer, type Respond, serveRaw, startRawServer, startSocketServer } from './raw-server.js';
export { realTimersExcept } from './real-timers.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { until } from './until.js';
export { type ResourceScope, useResource } from './use-resource.js';
