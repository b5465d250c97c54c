import {
  closeBrokerConnections,
  cutBroker,
  deleteAlertsExchange,
  deleteDeliveriesQueue,
  takePermissions,
  unbindAlerts,
} from './broker-faults.js';
import {
  cancelStatements,
  cutDatabase,
  delayDatabase,
  forbidWriting,
  lockAttempts,
  terminateSessions,
} from './database-faults.js';
import { everythingAtRandom } from './random-fault.js';
import { fillDisk, freezeBroker, freezeDatabase, killAndRestart, restart } from './server-faults.js';
import type { Fault } from './trial.js';
import {
  killAllWorkers,
  killApi,
  killBeforeAck,
  killBeforeCommit,
  killBeforePost,
  recordLate,
  stopAndContinue,
  terminate,
} from './worker-faults.js';

/** Nobody has died: nothing need wait for a lease to run out. */
const thawedWithinMs = 35_000;

/** Every fault that is inflicted, in the order of the table. */
export function allFaults(seed: number): Fault[] {
  return [
    { name: 'worker killed before the POST', inflict: killBeforePost, strikesWorkers: true, short: true },
    {
      name: 'worker killed between POST and commit',
      inflict: killBeforeCommit,
      strikesWorkers: true,
      short: true,
    },
    { name: 'workers killed between commit and ack', inflict: killBeforeAck, strikesWorkers: true },
    { name: 'all workers killed', inflict: killAllWorkers, strikesWorkers: true },
    { name: 'webhook-api killed while accepting', inflict: killApi, strikesApi: true, short: true },
    { name: 'worker stopped and continued', inflict: stopAndContinue, strikesWorkers: true },
    { name: 'worker records late', inflict: recordLate, short: true },
    { name: 'worker told to end', inflict: terminate },
    { name: 'RabbitMQ restarted', inflict: restart(({ rabbitmq }) => [rabbitmq]) },
    { name: 'RabbitMQ killed', inflict: killAndRestart(({ rabbitmq }) => [rabbitmq]) },
    { name: 'PostgreSQL restarted', inflict: restart(({ postgres }) => [postgres]) },
    { name: 'PostgreSQL killed', inflict: killAndRestart(({ postgres }) => [postgres]) },
    {
      name: 'both restarted',
      inflict: restart(({ postgres, rabbitmq }) => [postgres, rabbitmq]),
    },
    {
      name: 'both killed',
      inflict: killAndRestart(({ postgres, rabbitmq }) => [postgres, rabbitmq]),
      short: true,
    },
    { name: 'database connections frozen', inflict: freezeDatabase(), recoveryBoundMs: thawedWithinMs },
    {
      name: 'database connections frozen past every limit',
      inflict: freezeDatabase({ times: 1.5 }),
      recoveryBoundMs: thawedWithinMs,
    },
    {
      name: 'database connections frozen and cut',
      inflict: freezeDatabase({ cut: true }),
      recoveryBoundMs: thawedWithinMs,
    },
    { name: 'broker connections frozen', inflict: freezeBroker, recoveryBoundMs: thawedWithinMs },
    { name: 'disk alarm on the broker', inflict: fillDisk },
    { name: 'database sessions terminated over and over', inflict: terminateSessions, short: true },
    { name: 'database statements cancelled over and over', inflict: cancelStatements },
    { name: 'database connections cut over and over', inflict: cutDatabase },
    { name: 'database answers late', inflict: delayDatabase },
    { name: 'database is read only', inflict: forbidWriting },
    { name: 'a table locked', inflict: lockAttempts, recoveryBoundMs: thawedWithinMs },
    { name: 'broker connections cut over and over', inflict: cutBroker },
    { name: 'broker connections closed over and over', inflict: closeBrokerConnections },
    { name: 'permissions on the broker taken', inflict: takePermissions },
    { name: 'queue of alerts unbound', inflict: unbindAlerts, short: true },
    { name: 'exchange of alerts deleted', inflict: deleteAlertsExchange },
    { name: 'queue of deliveries deleted', inflict: deleteDeliveriesQueue },
    {
      name: `all at random, seed ${seed}`,
      inflict: everythingAtRandom(seed),
      strikesWorkers: true,
      strikesApi: true,
    },
  ];
}
