import type { BodyNote, SendResult } from '@tocsin/egress';
import type { Claimed } from './claimed.js';
import type { Prepared } from './prepare.js';
import type { Attempt, Verdict } from './verdict.js';

export interface AttemptInput {
  claimed: Claimed;
  prepared: Extract<Prepared, { kind: 'request' }>;
  result: SendResult;
  startedAt: Date;
  verdict: Verdict;
}

/** What was sent and what came of it, as it is recorded. */
export function toAttempt({ claimed, prepared, result, startedAt, verdict }: AttemptInput): Attempt {
  return {
    trigger: claimed.manual ? 'manual' : 'scheduled',
    startedAt,
    durationMs: result.durationMs,
    requestBody: prepared.body,
    response:
      result.kind === 'response'
        ? { statusCode: result.statusCode, body: result.body, truncated: result.truncated }
        : undefined,
    failure: verdict.kind === 'succeeded' ? undefined : verdict.failure,
    note:
      result.kind === 'response' && result.bodyNote !== undefined ? bodyNotes[result.bodyNote] : undefined,
  };
}

const bodyNotes: Record<BodyNote, string> = {
  cut: 'The connection ended before the answer’s body did.',
  slow: 'The answer’s body did not come in time.',
  broken: 'The answer’s body is not valid HTTP.',
  overlong: 'The answer brought far more than its body and was not read to its end.',
  encoded: 'The answer’s body is compressed and kept as it came.',
};
