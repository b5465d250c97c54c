import type { RestResponses } from '../load/rest-publisher.js';
import type { Comparison } from './compare.js';
import type { Exposure, Fault } from './fault.js';

type Compared = Pick<Comparison, 'lost' | 'repeated' | 'repeats' | 'disagreements'>;

/**
 * Returns one sentence for each broken promise about deliveries: lost deliveries, too many repeats, or records that
 * disagree with the destination.
 */
export function findDeliveryViolations(
  compared: Compared,
  { boundByDelivery, bound }: Pick<Exposure, 'boundByDelivery' | 'bound'>,
): string[] {
  const { lost, repeated, repeats, disagreements } = compared;
  const limited =
    boundByDelivery &&
    [...repeats].map(([index, times]) => ({ times, limit: boundByDelivery.get(index) ?? 0 }));
  const notInFlight = (limited ?? []).filter(({ limit }) => limit === 0);
  const tooOften = (limited ?? []).filter(({ times, limit }) => limit > 0 && times > limit);
  return [
    ...(lost === 0 ? [] : [`${lost} lost`]),
    ...(repeated <= bound ? [] : [`${repeated} repeated, ${bound} were in flight`]),
    ...(notInFlight.length === 0 ? [] : [`${notInFlight.length} repeated that were not in flight`]),
    ...(tooOften.length === 0 ? [] : [`${tooOften.length} repeated more often than they were in flight`]),
    ...(disagreements.length === 0 ? [] : [`records disagree, first: ${disagreements[0]}`]),
  ];
}

/** Limit for the response time of the API, in milliseconds. Clients must get a response even while a fault lasts. */
const responseLimitMs = 10_000;
/** Response statuses that every fault may cause. Requests without a response (`hung`) are reported separately. */
const expectedStatuses = ['202', '503', 'hung'];

/**
 * Returns one sentence for each broken promise about the API. Every response must be 202, or 503 with Retry-After, and
 * must arrive within the limit. Connections may be lost only if the fault affects the API itself.
 */
export function findResponseViolations(
  responses: RestResponses,
  { affectsApi = false }: Pick<Fault, 'affectsApi'>,
): string[] {
  const { byStatus, withoutRetryAfter, slowestMs } = responses;
  const unexpected = Object.entries(byStatus).filter(
    ([status]) => !expectedStatuses.includes(status) && (!affectsApi || /^\d+$/.test(status)),
  );
  return [
    ...unexpected.map(([status, times]) => `the API returned ${status}, ${times} times`),
    ...(withoutRetryAfter === 0 ? [] : [`${withoutRetryAfter} responses 503 without Retry-After`]),
    ...(slowestMs <= responseLimitMs && !byStatus.hung ? [] : ['requests to the API hung']),
  ];
}

/** Log events that no fault may cause. The only exception is `message.failed` with the `messageError` of a fault. */
export const failureEvents = ['service.crashed', 'service.stopped_uncleanly', 'message.failed'];

/**
 * Returns a list with at most one sentence: the name of the service and its first log line with an unexpected failure
 * event. The list is empty if the log has no such line.
 */
export function findLogViolations(
  service: string,
  log: string,
  { messageError }: Pick<Fault, 'messageError'>,
): string[] {
  const isExpected = (line: string) =>
    messageError !== undefined && line.includes('message.failed') && line.includes(messageError);
  const failure = log
    .split('\n')
    .find((line) => failureEvents.some((event) => line.includes(event)) && !isExpected(line));
  return failure === undefined ? [] : [`${service}: ${failure.slice(0, 300)}`];
}
