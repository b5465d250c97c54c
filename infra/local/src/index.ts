export { startPostgres } from './postgres/start-postgres.js';
export { findFreePorts } from './processes/free-port.js';
export { createProcessHost } from './processes/process-host.js';
export { ensureRabbitmqInstalled, startRabbitmq } from './rabbitmq/start-rabbitmq.js';
