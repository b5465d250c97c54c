import type { RestAnswers } from '../load/rest-publisher.js';
import type { Fault } from './trial.js';

/** A caller must not be left hanging: an answer later than this is none. */
const answerWithinMs = 10_000;
/** And those that are judged by themselves. */
const asPromised = ['202', '503', 'hung'];

/**
 * A sentence for each way in which the API has failed its callers: 202, or 503 with Retry-After, in time. Only where it
 * is struck itself may a caller be left without an answer.
 */
export function judgeAnswers(
  answers: RestAnswers,
  { strikesApi = false }: Pick<Fault, 'strikesApi'>,
): string[] {
  const { byStatus, withoutRetryAfter, slowestMs } = answers;
  const wrong = Object.entries(byStatus).filter(
    ([status]) => !asPromised.includes(status) && (!strikesApi || /^\d+$/.test(status)),
  );
  return [
    ...wrong.map(([status, times]) => `the API answered ${status}, ${times} times`),
    ...(withoutRetryAfter === 0 ? [] : [`${withoutRetryAfter} answers 503 without Retry-After`]),
    ...(slowestMs <= answerWithinMs && !byStatus.hung ? [] : ['the API left callers hanging']),
  ];
}
