import { messageOf } from '@tocsin/kit';
import { NotFoundError, PreconditionFailedError } from '../../api/errors.js';
import type { PlatformClient } from '../../api/platform-api.js';
import type { CreateAlertRule, CreateWebhook } from '../../api/schemas.js';
import type { Clock } from '../../clock.js';
import { retryWhenLimited } from '../retry-when-limited.js';
import { createPlan, type Plan, type PlanOptions, type Step } from './plan.js';
import { readState } from './workspace-state.js';

interface Deps {
  platform: PlatformClient;
  clock: Clock;
  signal: AbortSignal;
}

/** A plan with the ETag of each resource that it changes, by id. The key of the workspace settings is `settings`. */
export interface VersionedPlan extends Plan {
  etags: ReadonlyMap<string, string>;
}

/**
 * Creates a plan, and reads the ETag of each resource that the plan changes or deletes. The first plan is made from
 * lists, which contain no ETags. Each resource in the plan is then read separately with its ETag. A resource can have
 * changed meanwhile, so the plan is made again, until the ETags of all resources in the plan are known. The user
 * therefore confirms exactly the versions that `If-Match` requires.
 */
export async function planChanges(
  deps: Deps,
  options: Pick<PlanOptions, 'file' | 'env' | 'prune'>,
): Promise<VersionedPlan> {
  const { platform, signal } = deps;
  const state = await retryWhenLimited(deps, () => readState(platform, signal));
  const etags = new Map([['settings', state.settings.etag]]);
  for (;;) {
    const plan = createPlan({ ...options, state });
    const unread = plan.steps.filter(({ id }) => id !== undefined && !etags.has(id));
    if (unread.length === 0) return { ...plan, etags };
    for (const { id = '', kind } of unread) {
      const lists = kind === 'webhook' ? 'webhooks' : 'rules';
      const read = kind === 'webhook' ? platform.webhooks : platform.alertRules;
      try {
        const found = await retryWhenLimited<{ id: string; etag: string }>(deps, () =>
          read.get(id, { signal }),
        );
        etags.set(id, found.etag);
        replace(state[lists], id, [found]);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        replace(state[lists], id, []);
      }
    }
  }
}

function replace(list: { id: string }[], id: string, by: { id: string }[]): void {
  const index = list.findIndex((resource) => resource.id === id);
  if (index >= 0) list.splice(index, 1, ...by);
}

export interface PlanResult {
  done: Step[];
  /** The step that failed. */
  failed?: { step: Step; error: unknown };
  /** The steps after the failed one. */
  notDone: Step[];
}

/** Runs the steps of a plan one after the other, and stops at the first failure. */
export async function runPlan(
  { steps, etags }: VersionedPlan,
  deps: Deps & { onDone(step: Step, warnings: string[]): void },
): Promise<PlanResult> {
  // Contains webhooks only: steps refer to no other resource, and a rule may have the external id of a webhook.
  const created = new Map<string, string>();
  for (const [index, step] of steps.entries()) {
    try {
      const ifMatch = etags.get(step.id ?? step.kind);
      const { id, warnings = [] } = await retryWhenLimited(deps, () =>
        runStep(step, { ...deps, ifMatch, created }),
      );
      if (step.action === 'create' && step.kind === 'webhook' && id !== undefined)
        created.set(step.label, id);
      deps.onDone(step, warnings);
    } catch (error) {
      return { done: steps.slice(0, index), failed: { step, error }, notDone: steps.slice(index + 1) };
    }
  }
  return { done: steps, notDone: [] };
}

async function runStep(
  { action, kind, id = '', body }: Step,
  {
    platform,
    signal,
    ifMatch,
    created,
  }: Pick<Deps, 'platform' | 'signal'> & {
    ifMatch: string | undefined;
    created: ReadonlyMap<string, string>;
  },
): Promise<{ id?: string; warnings?: string[] }> {
  const options = { signal, ifMatch };
  const values = body(created);
  if (kind === 'settings') {
    await platform.settings.update(values, options);
    return {};
  }
  const resources = kind === 'webhook' ? platform.webhooks : platform.alertRules;
  if (action === 'delete') {
    await resources.delete(id, options);
    return {};
  }
  if (action === 'change') return resources.update(id, values, options);
  return resources.create(values as CreateWebhook & CreateAlertRule, { signal });
}

/** Returns a sentence about a failed step. */
export function describeFailure(step: Step, error: unknown): string {
  if (error instanceof PreconditionFailedError)
    return `Somebody else has changed ${nameOf(step)} since the plan was made, so this change was rejected.`;
  return messageOf(error);
}

/** Returns the kind and label of a step, such as "webhook risk/chat". */
export function nameOf({ kind, label }: Step): string {
  return label === '' ? kind : `${kind} ${label}`;
}
