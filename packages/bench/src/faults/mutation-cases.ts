import { lockAttempts } from './database-faults.js';
import type { Fault } from './fault.js';
import { flood } from './flood-faults.js';
import { useWrongKeys } from './key-faults.js';
import { type Mutation, mutations } from './mutations.js';
import { killApi, killBeforeCommit, killBeforePost, recordLate } from './worker-faults.js';

export interface MutationCase extends Mutation {
  /** Fault during which the suite must detect the mutation. */
  fault: Fault;
  /** The problem that the suite must report. */
  expectedProblem: RegExp;
}

export const mutationCases: MutationCase[] = [
  {
    ...mutations['ack-before-commit'],
    fault: { name: 'worker killed between POST and commit', inject: killBeforeCommit, affectsWorkers: true },
    expectedProblem: /\d+ lost/,
  },
  {
    ...mutations['dispatcher-off'],
    fault: { name: 'worker killed before the POST', inject: killBeforePost, affectsWorkers: true },
    expectedProblem: /\d+ lost/,
  },
  {
    ...mutations['no-fence'],
    fault: { name: 'worker records late', inject: recordLate },
    expectedProblem: /records disagree/,
  },
  {
    ...mutations['leases-ignored'],
    fault: { name: 'attempts table locked', inject: lockAttempts },
    expectedProblem: /\d+ repeated, 0 were in flight/,
  },
  {
    ...mutations['keys-ignored'],
    fault: { name: 'wrong keys', inject: useWrongKeys },
    expectedProblem: /\d+ deliveries were undecryptable/,
  },
  {
    ...mutations['unknown-webhooks-opened'],
    fault: { name: 'tenant flood', inject: flood({ workspaces: 1, overRest: false }) },
    expectedProblem: /\d+ deliveries of unknown webhooks were open/,
  },
  {
    ...mutations['confirms-ignored'],
    fault: { name: 'webhook-api killed while accepting', inject: killApi, affectsApi: true },
    expectedProblem: /\d+ lost/,
  },
];
