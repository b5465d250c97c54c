export { startPostgres } from './postgres/start-postgres.js';
export { createProcessHost } from './processes/process-host.js';
export { findFreePorts } from './processes/free-port.js';
