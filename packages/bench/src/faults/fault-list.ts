import {
  closeBrokerConnections,
  cutBroker,
  deleteAlertsExchange,
  deleteDeliveriesQueue,
  revokePermissions,
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
import type { Fault } from './fault.js';
import { flood } from './flood-faults.js';
import { useWrongKeys } from './key-faults.js';
import { injectRandomly } from './random-faults.js';
import {
  killAllBrokers,
  killBrokerLeader,
  killPrimary,
  killPrimaryAndBrokerLeader,
  killStandby,
} from './replica-faults.js';
import { fillDisk, freezeBroker, freezeDatabase, killAndRestart, restart } from './server-faults.js';
import {
  killAllWorkers,
  killAllWorkersRepeatedly,
  killApi,
  killBeforeAck,
  killBeforeCommit,
  killBeforePost,
  recordLate,
  stopAndContinue,
  terminate,
} from './worker-faults.js';

/**
 * Limit for the recovery time in milliseconds, for faults after which no delivery should have to wait until the lease
 * of a queued row expires. That lease is 45 s by default.
 */
const recoveryLimitMs = 35_000;
/**
 * Recovery limit in milliseconds for floods and wrong keys. After these faults, workers only have to deliver the
 * backlog.
 */
const backlogLimitMs = 20_000;

/** The replicated servers share the machine with the load, so the publish rate is lower than for other faults. */
const replicated = { replicated: true, alertsPerSecond: 100 };

/** Returns all faults, in the order of the result table. */
export function allFaults(seed: number): Fault[] {
  return [
    { name: 'worker killed before the POST', inject: killBeforePost, affectsWorkers: true, short: true },
    {
      name: 'worker killed between POST and commit',
      inject: killBeforeCommit,
      affectsWorkers: true,
      short: true,
    },
    { name: 'workers killed between commit and ack', inject: killBeforeAck, affectsWorkers: true },
    { name: 'all workers killed', inject: killAllWorkers, affectsWorkers: true },
    {
      name: 'all workers killed three times',
      inject: killAllWorkersRepeatedly,
      affectsWorkers: true,
      alertsPerSecond: 400,
      recoveryLimitMs,
    },
    { name: 'webhook-api killed while accepting', inject: killApi, affectsApi: true, short: true },
    { name: 'worker stopped and continued', inject: stopAndContinue, affectsWorkers: true },
    { name: 'worker records late', inject: recordLate, short: true },
    { name: 'worker terminated', inject: terminate },
    {
      name: 'tenant flood',
      inject: flood({ workspaces: 1, overRest: false }),
      recoveryLimitMs: backlogLimitMs,
      short: true,
    },
    {
      name: 'two tenants flood, over REST too',
      inject: flood({ workspaces: 2, overRest: true }),
      recoveryLimitMs: backlogLimitMs,
      short: true,
    },
    { name: 'wrong keys', inject: useWrongKeys, recoveryLimitMs: backlogLimitMs, short: true },
    { name: 'RabbitMQ restarted', inject: restart(({ rabbitmq }) => [rabbitmq]) },
    { name: 'RabbitMQ killed', inject: killAndRestart(({ rabbitmq }) => [rabbitmq]) },
    { name: 'PostgreSQL restarted', inject: restart(({ postgres }) => [postgres]) },
    { name: 'PostgreSQL killed', inject: killAndRestart(({ postgres }) => [postgres]) },
    {
      name: 'both servers restarted',
      inject: restart(({ postgres, rabbitmq }) => [postgres, rabbitmq]),
    },
    {
      name: 'both servers killed',
      inject: killAndRestart(({ postgres, rabbitmq }) => [postgres, rabbitmq]),
      short: true,
    },
    { name: 'database connections frozen', inject: freezeDatabase(), recoveryLimitMs },
    {
      name: 'database connections frozen past every timeout',
      inject: freezeDatabase({ times: 1.5 }),
      recoveryLimitMs,
    },
    {
      name: 'database connections frozen and cut',
      inject: freezeDatabase({ cut: true }),
      recoveryLimitMs,
    },
    { name: 'broker connections frozen', inject: freezeBroker, recoveryLimitMs },
    { name: 'disk alarm on the broker', inject: fillDisk },
    { name: 'database sessions terminated repeatedly', inject: terminateSessions, short: true },
    {
      name: 'database statements cancelled repeatedly',
      inject: cancelStatements,
      // On a slow machine, the statement of one alert can be cancelled three times in a row.
      messageError: 'canceling statement due to user request',
    },
    { name: 'database connections cut repeatedly', inject: cutDatabase },
    { name: 'database connections delayed', inject: delayDatabase },
    { name: 'database is read only', inject: forbidWriting },
    { name: 'attempts table locked', inject: lockAttempts, recoveryLimitMs },
    { name: 'broker connections cut repeatedly', inject: cutBroker },
    { name: 'broker connections closed repeatedly', inject: closeBrokerConnections },
    { name: 'broker permissions revoked', inject: revokePermissions },
    { name: 'alerts queue unbound', inject: unbindAlerts, short: true },
    { name: 'alerts exchange deleted', inject: deleteAlertsExchange },
    { name: 'deliveries queue deleted', inject: deleteDeliveriesQueue },
    {
      name: `random faults, seed ${seed}`,
      inject: injectRandomly(seed),
      affectsWorkers: true,
      affectsApi: true,
    },
    { name: 'replicated: broker leader killed', inject: killBrokerLeader, ...replicated },
    { name: 'replicated: brokers killed one by one', inject: killAllBrokers, ...replicated },
    { name: 'replicated: standby killed', inject: killStandby, ...replicated },
    { name: 'replicated: primary killed, standby promoted', inject: killPrimary, ...replicated },
    {
      name: 'replicated: primary and broker leader killed',
      inject: killPrimaryAndBrokerLeader,
      ...replicated,
    },
  ];
}
