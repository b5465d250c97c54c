import type { Metrics } from '@tocsin/kit';
import type { Database } from './connection.js';

/** Exposes the connection counts of a service's pools. A key of `pools` becomes the value of the label `pool`. */
export function createPoolMetrics(metrics: Metrics, pools: Readonly<Record<string, Database>>): void {
  const counts = () => Object.entries(pools).map(([pool, { connections }]) => ({ pool, ...connections() }));
  metrics.gauge(
    'tocsin_database_connections',
    'Open connections to the database.',
    ['pool', 'state'],
    (gauge) => {
      for (const { pool, open, idle } of counts()) {
        gauge.set({ pool, state: 'in_use' }, open - idle);
        gauge.set({ pool, state: 'idle' }, idle);
      }
    },
  );
  metrics.gauge(
    'tocsin_database_connections_max',
    'Maximum number of connections of the pool.',
    ['pool'],
    (gauge) => {
      for (const { pool, max } of counts()) gauge.set({ pool }, max);
    },
  );
  metrics.gauge(
    'tocsin_database_connections_waiting',
    'Statements that wait for a connection.',
    ['pool'],
    (gauge) => {
      for (const { pool, waiting } of counts()) gauge.set({ pool }, waiting);
    },
  );
}
