import type { StatsStep } from '@tocsin/contracts';
import { invalidQuery } from '@tocsin/kit';

/** A range of whole time steps, aligned to UTC. */
export interface StatsRange {
  step: StatsStep;
  /** Start of the first step and end of the last step, in Unix milliseconds. */
  fromMs: number;
  toMs: number;
}

interface StatsRangeQuery {
  since?: string | undefined;
  until?: string | undefined;
  step?: StatsStep | undefined;
}

export const stepMinutes: Record<StatsStep, number> = { minute: 1, hour: 60, day: 1_440 };

export function stepMs(step: StatsStep): number {
  return stepMinutes[step] * 60_000;
}

const dayMs = 86_400_000;
const maxSteps = 1_500;

/**
 * Returns the steps that overlap the time from `since` to `until`. Default: the last 24 hours, by hour.
 * @throws AppError `validation_failed` for a range that is empty or has more than 1,500 steps
 */
export function statsRange(query: StatsRangeQuery, now: Date): StatsRange {
  const { step = 'hour' } = query;
  const untilMs = query.until === undefined ? now.getTime() : Date.parse(query.until);
  const sinceMs = query.since === undefined ? untilMs - dayMs : Date.parse(query.since);
  if (sinceMs >= untilMs) throw invalidQuery([{ path: 'until', message: 'must be after since' }]);
  const fromMs = Math.floor(sinceMs / stepMs(step)) * stepMs(step);
  const toMs = Math.ceil(untilMs / stepMs(step)) * stepMs(step);
  const steps = (toMs - fromMs) / stepMs(step);
  if (steps > maxSteps) {
    const message = `gives ${steps} steps; at most ${maxSteps} are allowed: take a longer step`;
    throw invalidQuery([{ path: 'step', message }]);
  }
  return { step, fromMs, toMs };
}
