import { lockAttempts } from './database-faults.js';
import { type Sabotage, sabotages } from './mutations.js';
import type { Fault } from './trial.js';
import { killApi, killBeforeCommit, killBeforePost, recordLate } from './worker-faults.js';

export interface Proof extends Sabotage {
  fault: Fault;
  /** What the suite must say of it. */
  expects: RegExp;
}

/** Each sabotage with the fault that brings it to light. */
export const proofs: Proof[] = [
  {
    ...sabotages['ack-before-commit'],
    fault: { name: 'worker killed between POST and commit', inflict: killBeforeCommit, strikesWorkers: true },
    expects: /\d+ lost/,
  },
  {
    ...sabotages['dispatcher-off'],
    fault: { name: 'worker killed before the POST', inflict: killBeforePost, strikesWorkers: true },
    expects: /\d+ lost/,
  },
  {
    ...sabotages['no-fence'],
    fault: { name: 'worker records late', inflict: recordLate },
    expects: /records disagree/,
  },
  {
    ...sabotages['no-renewal'],
    fault: { name: 'a table locked', inflict: lockAttempts },
    expects: /\d+ repeated, 0 were in flight/,
  },
  {
    ...sabotages['confirms-ignored'],
    fault: { name: 'webhook-api killed while accepting', inflict: killApi, strikesApi: true },
    expects: /\d+ lost/,
  },
];
