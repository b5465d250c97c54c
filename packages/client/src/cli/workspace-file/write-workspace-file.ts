import { isDeepStrictEqual } from 'node:util';
import { Document, visit } from 'yaml';
import type { AlertRule, Webhook } from '../../api/schemas.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { printableLines } from '../text.js';
import {
  type AlertRuleEntry,
  namespacePattern,
  type SettingsEntry,
  type WebhookEntry,
  type WorkspaceFile,
} from './file-schema.js';
import { ruleDefaults, webhookDefaults } from './plan.js';
import { labelOf, type WorkspaceState } from './workspace-state.js';

export interface ExportOptions {
  /**
   * Namespace of the file. Default: the only namespace in the external ids of the workspace, or `default` if they
   * contain none. Required if they contain several namespaces.
   */
  namespace?: string | undefined;
  /** If false, the file contains no ids, so that it can be applied to another workspace. */
  withIds: boolean;
}

/**
 * Creates the workspace file of a workspace. It contains variables such as `${CHAT_URL}` instead of urls and header
 * values.
 */
export function createWorkspaceFile(
  state: WorkspaceState,
  { namespace = namespaceOf(state), withIds }: ExportOptions,
): { file: WorkspaceFile; leftOut: string[] } {
  const isIncluded = ({ external_id }: Webhook | AlertRule) =>
    !external_id?.includes('/') || external_id.startsWith(`${namespace}/`);
  const ids = (resource: Webhook | AlertRule) => idsOf(resource, { namespace, withIds });
  const variables = createVariableNames();
  const reference = createReferences(state.webhooks, { namespace, withIds });
  const inOrder = <R extends Webhook | AlertRule>(resources: readonly R[]) =>
    resources.filter(isIncluded).sort((a, b) => (sortKey(a, namespace) < sortKey(b, namespace) ? -1 : 1));
  const webhooks = inOrder(state.webhooks);
  const rules = inOrder(state.rules);
  if (!withIds) for (const list of [webhooks, rules]) requireUniqueIds(list, namespace);
  const { name, notice_webhook_ids } = state.settings;
  const settings: SettingsEntry = {
    ...(name !== null && { name }),
    ...(notice_webhook_ids.length > 0 && { notice_webhooks: notice_webhook_ids.map(reference) }),
  };
  return {
    file: {
      namespace,
      settings,
      webhooks: webhooks.map(
        (webhook): WebhookEntry => ({
          ...ids(webhook),
          name: webhook.name,
          ...variables(webhook),
          body: webhook.body,
          ...changedFrom(webhookDefaults, webhook),
        }),
      ),
      alert_rules: rules.map((rule): AlertRuleEntry => {
        const { name, model_id, threshold, bound, notification_webhook_ids: webhookIds } = rule;
        return {
          ...ids(rule),
          name,
          model_id,
          threshold,
          bound,
          ...changedFrom(ruleDefaults, rule),
          ...(webhookIds.length > 0 && { notification_webhooks: webhookIds.map(reference) }),
        };
      }),
    },
    leftOut: [...state.webhooks, ...state.rules].filter((resource) => !isIncluded(resource)).map(labelOf),
  };
}

const comment = ` Made by \`tocsin export\`. Urls and header values are variables of the environment: \`tocsin apply\` leaves what is
 stored where a variable is not set.`;

/**
 * Returns the file as YAML that is safe to print on a terminal: a text with control characters or invisible format
 * characters is quoted, so that these characters can be escaped.
 */
export function toYaml(file: WorkspaceFile): string {
  const document = new Document(file);
  document.commentBefore = comment;
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && printableLines(node.value) !== node.value)
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return printableLines(document.toString({ lineWidth: 0, blockQuote: 'literal' }));
}

function namespaceOf({ webhooks, rules }: WorkspaceState): string {
  const prefix = new RegExp(`^(${namespacePattern})/`);
  const used = [...webhooks, ...rules].flatMap(
    ({ external_id }) => prefix.exec(external_id ?? '')?.[1] ?? [],
  );
  const [first, ...others] = [...new Set(used)].sort();
  if (others.length === 0) return first ?? 'default';
  throw new CommandFailure(
    exitCodes.usage,
    `Several namespaces are in use: give --namespace with one of ${[first, ...others].join(', ')}.`,
  );
}

/**
 * Returns the ids of an entry. With `withIds: false`, an external id that equals `{namespace}/{name}` is omitted,
 * because `apply` sets that external id by default.
 */
function idsOf(
  { id, external_id, name }: Webhook | AlertRule,
  { namespace, withIds }: { namespace: string; withIds: boolean },
): { id?: string; external_id?: string } {
  if (withIds) return external_id === null ? { id } : { external_id };
  return external_id === null || external_id === `${namespace}/${name}` ? {} : { external_id };
}

function sortKey(resource: Webhook | AlertRule, namespace: string): string {
  return [resource.name, externalIdIn(namespace, resource), resource.id].join('\n');
}

/** Returns the external id that a resource gets if the file is applied to another workspace. */
function externalIdIn(namespace: string, { external_id, name }: Webhook | AlertRule): string {
  return external_id ?? `${namespace}/${name}`;
}

function requireUniqueIds(resources: (Webhook | AlertRule)[], namespace: string): void {
  const ids = resources.map((resource) => externalIdIn(namespace, resource));
  const twice = resources.find((_, index) => ids.indexOf(ids[index]!) !== index);
  if (twice !== undefined)
    throw new CommandFailure(
      exitCodes.conflict,
      `Several have the name ${JSON.stringify(twice.name)}. Give them external ids, or other names, before an export without ids.`,
    );
}

function changedFrom<Defaults extends object>(
  defaults: Defaults,
  resource: { [Name in keyof Defaults]: unknown },
): object {
  const names = Object.keys(defaults) as (keyof Defaults)[];
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(resource[name], defaults[name]))
      .map((name) => [name, resource[name]]),
  );
}

/**
 * Creates a function that returns the text with which a file refers to a webhook. The text is the name of the webhook,
 * unless another webhook has the same text as its name, external id or id. Otherwise the text is the external id. If
 * the webhook has no external id, the text is its id or, with `withIds: false`, the external id that `apply` will give
 * it. The id is the last choice, because it is valid in one workspace only.
 */
function createReferences(
  webhooks: readonly Webhook[],
  { namespace, withIds }: { namespace: string; withIds: boolean },
): (id: string) => string {
  const uses = new Map<string, number>();
  for (const { name, external_id, id } of webhooks)
    for (const text of new Set([name, external_id, id]))
      if (text !== null) uses.set(text, (uses.get(text) ?? 0) + 1);
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return (id) => {
    const webhook = byId.get(id);
    if (webhook === undefined) return id;
    const { name, external_id } = webhook;
    if (uses.get(name) === 1) return name;
    return withIds ? (external_id ?? id) : externalIdIn(namespace, webhook);
  };
}

/** Creates unique variables for the url and headers of webhooks, such as `${CHAT_URL}` and `${CHAT_AUTHORIZATION}`. */
function createVariableNames() {
  const taken = new Set<string>();
  const unique = (name: string) => {
    let candidate = name;
    for (let next = 2; taken.has(candidate); next += 1) candidate = `${name}_${next}`;
    taken.add(candidate);
    return `\${${candidate}}`;
  };
  return ({ name, headers }: Webhook): Pick<WebhookEntry, 'url' | 'headers'> => {
    const prefix = toVariable(name);
    const variables = Object.entries(headers).map(([header, values]): [string, string | string[]] => {
      const names = values.map(() => unique(`${prefix}_${toVariable(header)}`));
      return [header, names.length === 1 ? names[0]! : names];
    });
    const url = unique(`${prefix}_URL`);
    return { url, ...(variables.length > 0 && { headers: Object.fromEntries(variables) }) };
  };
}

function toVariable(text: string): string {
  const letters = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (letters === '') return 'WEBHOOK';
  return /^\d/.test(letters) ? `WEBHOOK_${letters}` : letters;
}
