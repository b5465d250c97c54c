// Test helpers that need neither PostgreSQL nor RabbitMQ, for example a TCP proxy and an HTTP receiver. The helpers for
// PostgreSQL are in `./database`, and those for RabbitMQ in `./broker`.

export { type HttpReceiver, type ReceivedRequest, startHttpReceiver } from './http-receiver.js';
export { type Program, type ProgramOptions, startProgram } from './program.js';
export { propertyRuns } from './property-runs.js';
export { type RawServer, type Respond, serveRaw, startRawServer, startSocketServer } from './raw-server.js';
export { realTimersExcept } from './real-timers.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { until } from './until.js';
export { type ResourceScope, useResource } from './use-resource.js';
