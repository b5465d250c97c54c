import { isDeepStrictEqual } from 'node:util';
import type { AlertRule, Webhook } from '../../api/schemas.js';
import type { AlertRuleEntry, SettingsEntry, WebhookEntry } from './file-schema.js';
import { type Match, type Matches, matchEntries } from './match-entries.js';
import type { FileFault, ReadFile } from './read-workspace-file.js';
import { substitute } from './variables.js';
import { labelOf, type WorkspaceState } from './workspace-state.js';

/** One request of a plan. */
export interface Step {
  action: 'create' | 'change' | 'delete';
  kind: 'webhook' | 'alert rule' | 'settings';
  /** External id of the resource, or else its id. Empty for the settings. */
  label: string;
  /** Names of the changed fields, such as `url` and `headers.Authorization`. */
  fields: string[];
  /** Id of the resource. Undefined for a resource to create, and for the settings. */
  id?: string;
  /** JSON pointer of the entry in the file. Undefined for a deletion. */
  path?: string;
  /** Returns the fields to send. `created` maps external ids to the ids of webhooks that earlier steps created. */
  body(created: ReadonlyMap<string, string>): object;
}

export interface Plan {
  steps: Step[];
  /**
   * Kinds and labels of the resources that `--prune` would delete. Empty with `prune: true`, because the deletions are
   * then in `steps`.
   */
  left: string[];
}

export interface PlanOptions {
  file: ReadFile;
  state: WorkspaceState;
  /** Environment variables, whose values replace the variables in the file. */
  env: NodeJS.ProcessEnv;
  /** If true, the plan deletes the resources of the namespace that the file does not contain. */
  prune: boolean;
}

/**
 * Compares a file with a workspace. The steps are in the order of their execution: webhooks first, because rules and
 * settings refer to them, and deletions last.
 * @throws CommandFailure with the errors of the file and their lines
 */
export function createPlan({ file, state, env, prune }: PlanOptions): Plan {
  const { namespace, webhooks = [], alert_rules: rules = [], settings } = file.content;
  const faults: FileFault[] = [];
  const scope = { namespace, faults };
  const ofWebhooks = matchEntries({ entries: webhooks, resources: state.webhooks, path: '/webhooks' }, scope);
  const ofRules = matchEntries({ entries: rules, resources: state.rules, path: '/alert_rules' }, scope);
  const resolve = createResolver(ofWebhooks, {
    others: prune ? state.webhooks.filter((webhook) => !ofWebhooks.left.includes(webhook)) : state.webhooks,
    faults,
  });
  const steps = [
    ...ofWebhooks.matches.flatMap((match) => webhookStep(match, { env, faults })),
    ...ofRules.matches.flatMap((match) => ruleStep(match, resolve)),
    ...(settings === undefined ? [] : settingsStep(settings, state.settings, resolve)),
  ];
  if (faults.length > 0) file.fail(faults);
  const deletions = [
    ...ofRules.left.map((rule) => deletion('alert rule', rule)),
    ...ofWebhooks.left.map((webhook) => deletion('webhook', webhook)),
  ];
  return prune
    ? { steps: [...steps, ...deletions], left: [] }
    : { steps, left: deletions.map(({ kind, label }) => `${kind} ${label}`) };
}

/**
 * Returns the ids of the webhooks to which `references` refer. A webhook that the plan creates has no id yet, so its
 * external id is returned instead.
 */
type Resolve = (references: readonly string[], path: string) => string[];

function createResolver(
  { matches }: Matches<WebhookEntry, Webhook>,
  { others, faults }: { others: readonly Webhook[]; faults: FileFault[] },
): Resolve {
  const known = [
    ...matches.map(({ entry, current, externalId }) => ({
      target: current?.id ?? externalId,
      external_id: externalId,
      id: entry.id?.toLowerCase(),
      name: entry.name,
      isInFile: true,
    })),
    ...others.map(({ id, external_id, name }) => ({
      target: id,
      external_id,
      id,
      name,
      isInFile: false,
    })),
  ];
  const found = (fits: (webhook: (typeof known)[number]) => boolean) => [
    ...new Set(known.filter(fits).map(({ target }) => target)),
  ];
  const candidates = (reference: string) => {
    const byExternalId = found(({ external_id }) => external_id === reference);
    if (byExternalId.length > 0) return byExternalId;
    const byId = found(({ id }) => id === reference.toLowerCase());
    if (byId.length > 0) return byId;
    const inFile = found(({ name, isInFile }) => isInFile && name === reference);
    return inFile.length > 0 ? inFile : found(({ name }) => name === reference);
  };
  return (references, path) => {
    const targets = references.flatMap((reference, index) => {
      const [target, ...more] = candidates(reference);
      if (target !== undefined && more.length === 0) return [target];
      const message =
        target === undefined
          ? `is no webhook of the file or the workspace: ${reference}`
          : `is the name of several webhooks; write the external id or the id: ${reference}`;
      faults.push({ path: `${path}/${index}`, message });
      return [];
    });
    return [...new Set(targets)];
  };
}

type Fields = Record<string, unknown>;

/** Default values of fields of a webhook that are missing in a file. */
export const webhookDefaults = {
  enabled: true,
  retry_on_timeout: true,
  retry_schedule_ms: null,
  timeout_ms: null,
  rate_limit: null,
  signing: false,
  idempotency_header: null,
} satisfies Partial<Webhook>;
export const ruleDefaults = { enabled: true, cooldown_seconds: 0 } satisfies Partial<AlertRule>;

function webhookStep(
  match: Match<WebhookEntry, Webhook>,
  { env, faults }: { env: NodeJS.ProcessEnv; faults: FileFault[] },
): Step[] {
  const { entry, path, current } = match;
  const { id: _id, external_id: _externalId, url: givenUrl, headers: givenHeaders = {}, ...fields } = entry;
  const url = substitute(givenUrl, env);
  if (url.unset !== undefined && current === undefined)
    faults.push({ path: `${path}/url`, message: unsetMessage(url.unset) });
  const headers = Object.entries(givenHeaders).map(([name, given]): [string, string[]] => {
    const values = [given].flat().map((value) => substitute(value, env));
    const unset = values.flatMap((value) => value.unset ?? []);
    if (unset.length === 0) return [name, values.map(({ value = '' }) => value)];
    const stored = headerOf(current?.headers ?? {}, name);
    if (stored === undefined) faults.push({ path: `${path}/headers/${name}`, message: unsetMessage(unset) });
    return [name, stored ?? []];
  });
  const { name, body, ...options } = fields;
  const desired = {
    name,
    ...(url.unset === undefined && { url: url.value }),
    headers: Object.fromEntries(headers),
    body,
    ...webhookDefaults,
    ...options,
  };
  return stepOf('webhook', match, { desired, defaults: { ...webhookDefaults, headers: {} } });
}

function unsetMessage(names: string[]): string {
  return `needs a value that is not stored, and ${[...new Set(names)].join(', ')} is not set`;
}

function headerOf(headers: Record<string, string[]>, name: string): string[] | undefined {
  return Object.entries(headers).find(([stored]) => stored.toLowerCase() === name.toLowerCase())?.[1];
}

function ruleStep(match: Match<AlertRuleEntry, AlertRule>, resolve: Resolve): Step[] {
  const { name, model_id, threshold, bound, notification_webhooks: webhooks = [], ...rest } = match.entry;
  const { id: _id, external_id: _externalId, ...options } = rest;
  const desired = {
    name,
    model_id: model_id.toLowerCase(),
    // Adding 0 changes -0 to 0, which is the value that the API stores.
    threshold: threshold + 0,
    bound,
    ...ruleDefaults,
    ...options,
    notification_webhook_ids: resolve(webhooks, `${match.path}/notification_webhooks`),
  };
  return stepOf('alert rule', match, {
    desired,
    defaults: { ...ruleDefaults, notification_webhook_ids: [] },
  });
}

function settingsStep(
  { name = null, notice_webhooks: webhooks = [] }: SettingsEntry,
  current: WorkspaceState['settings'],
  resolve: Resolve,
): Step[] {
  const desired = { name, notice_webhook_ids: resolve(webhooks, '/settings/notice_webhooks') };
  const { values, names } = differences(desired, { ...current });
  if (names.length === 0) return [];
  return [
    {
      action: 'change',
      kind: 'settings',
      label: '',
      fields: names,
      path: '/settings',
      body: withIds(values),
    },
  ];
}

function stepOf(
  kind: 'webhook' | 'alert rule',
  { entry, path, current, externalId }: Match<{ name: string; external_id?: string }, Webhook | AlertRule>,
  { desired, defaults }: { desired: Fields; defaults: Fields },
): Step[] {
  if (current === undefined) {
    const { values, names } = differences(desired, defaults);
    const body = withIds({ ...values, external_id: externalId });
    return [{ action: 'create', kind, label: externalId, fields: names, path, body }];
  }
  const wanted = entry.external_id === undefined ? desired : { ...desired, external_id: externalId };
  const { values, names } = differences(wanted, { ...current });
  if (names.length === 0) return [];
  const label = labelOf(current);
  return [{ action: 'change', kind, label, fields: names, id: current.id, path, body: withIds(values) }];
}

/** Returns the values of the fields that differ, and their names to print. A header is named `headers.{name}`. */
function differences(desired: Fields, current: Fields): { values: Fields; names: string[] } {
  const changed = Object.keys(desired).filter((name) => !isDeepStrictEqual(desired[name], current[name]));
  return {
    values: Object.fromEntries(changed.map((name) => [name, desired[name]])),
    names: changed.flatMap((name) => {
      if (name === 'headers') return headerNames(desired.headers as Fields, current.headers as Fields);
      return [name.replace('_webhook_ids', '_webhooks')];
    }),
  };
}

function headerNames(desired: Fields, current: Fields): string[] {
  const names = new Set([...Object.keys(desired), ...Object.keys(current)]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(desired[name], current[name]))
    .map((name) => `headers.${name}`);
}

const references = ['notification_webhook_ids', 'notice_webhook_ids'];

/** Returns the body of a step, in which ids replace the external ids of webhooks that earlier steps created. */
function withIds(values: Fields): Step['body'] {
  return (created) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) =>
        references.includes(name)
          ? [name, (value as string[]).map((target) => created.get(target) ?? target)]
          : [name, value],
      ),
    );
}

function deletion(kind: 'webhook' | 'alert rule', resource: Webhook | AlertRule): Step {
  return { action: 'delete', kind, label: labelOf(resource), fields: [], id: resource.id, body: () => ({}) };
}
