import type { AlertRule, CreateAlertRule, PatchAlertRule } from '@tocsin/client/browser';

/** The fields of a rule as text, as the user typed them. */
export interface RuleForm {
  readonly name: string;
  readonly modelId: string;
  readonly threshold: string;
  readonly bound: AlertRule['bound'];
  readonly cooldownSeconds: string;
  readonly externalId: string;
}

export type RuleFieldErrors = Partial<Record<keyof RuleForm | 'webhooks', string>> & {
  readonly other?: string;
};

/** The fields of a request to the API whose values come from the form. */
export type RuleFormFields = Pick<
  CreateAlertRule,
  'name' | 'model_id' | 'threshold' | 'bound' | 'cooldown_seconds' | 'external_id'
>;

export const emptyRule: RuleForm = {
  name: '',
  modelId: '',
  threshold: '',
  bound: 'upper_bound',
  cooldownSeconds: '',
  externalId: '',
};

export function toRuleForm(rule: AlertRule): RuleForm {
  const { name, model_id, threshold, bound, cooldown_seconds, external_id } = rule;
  const cooldownSeconds = cooldown_seconds === 0 ? '' : String(cooldown_seconds);
  const texts = { name, modelId: model_id, threshold: String(threshold), externalId: external_id ?? '' };
  return { ...texts, bound, cooldownSeconds };
}

export function isSameForm(form: RuleForm, other: RuleForm): boolean {
  return formFields.every((field) => form[field] === other[field]);
}

export const formFields = Object.keys(emptyRule) as (keyof RuleForm)[];

/**
 * Converts the form to the fields of an API request. If fields are invalid, returns an error message for each of them.
 */
export function fromRuleForm(form: RuleForm): { fields: RuleFormFields } | { errors: RuleFieldErrors } {
  const name = form.name.trim();
  const modelId = form.modelId.trim();
  const threshold = parseNumber(form.threshold);
  const cooldown = form.cooldownSeconds.trim() === '' ? 0 : parseNumber(form.cooldownSeconds);
  const hasCooldown = Number.isInteger(cooldown);
  const errors: RuleFieldErrors = {
    ...(name === '' ? { name: 'Give the rule a name.' } : {}),
    ...(uuid.test(modelId) ? {} : { modelId: 'Enter the UUID of the model.' }),
    ...(threshold === undefined ? { threshold: 'Enter a number, such as 0.9.' } : {}),
    ...(hasCooldown ? {} : { cooldownSeconds: 'Enter whole seconds, such as 600.' }),
  };
  if (threshold === undefined || cooldown === undefined || Object.keys(errors).length > 0) return { errors };
  const { bound } = form;
  const external_id = form.externalId.trim() || null;
  return {
    fields: { name, model_id: modelId, threshold, bound, cooldown_seconds: cooldown, external_id },
  };
}

/** Returns the fields whose values differ from those of the rule. */
export function changedFields(rule: AlertRule, fields: PatchAlertRule): PatchAlertRule {
  const before: Readonly<Record<string, unknown>> = { ...rule };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => before[name] !== value));
}

/**
 * Assigns the errors of a `validation_failed` response to the fields of the form. Errors of other members are joined in
 * `other`.
 */
export function toRuleErrors(errors: readonly { path: string; message: string }[]): RuleFieldErrors {
  const found: Record<string, string> = {};
  for (const { path, message } of errors) {
    const field = fieldOf(path);
    const text = field === 'other' && path !== '' ? `${path}: ${message}` : capitalised(message);
    found[field] = found[field] === undefined ? text : `${found[field]} ${text}`;
  }
  return found;
}

/** Returns the condition as text, for example `above 0.9`. */
export function conditionOf({ threshold, bound }: Pick<AlertRule, 'threshold' | 'bound'>): string {
  return `${bound === 'upper_bound' ? 'above' : 'below'} ${threshold}`;
}

/**
 * Returns a metric value that fires the rule. The value is a tenth of the threshold above or below the threshold,
 * rounded to six digits, or 1 or -1 if the threshold is 0. If the value would be infinite, returns the threshold
 * itself, which does not fire the rule.
 */
export function firingValue({ threshold, bound }: Pick<AlertRule, 'threshold' | 'bound'>): number {
  const distance = Math.abs(threshold) / 10 || 1;
  const value = bound === 'upper_bound' ? threshold + distance : threshold - distance;
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : threshold;
}

/**
 * Parses a decimal number, and returns undefined for any other text. A comma is rejected, because it could be a
 * thousands separator.
 */
export function parseNumber(text: string): number | undefined {
  const number = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function fieldOf(path: string): keyof RuleForm | 'webhooks' | 'other' {
  switch (path.split('/')[1]) {
    case 'name':
      return 'name';
    case 'model_id':
      return 'modelId';
    case 'threshold':
      return 'threshold';
    case 'bound':
      return 'bound';
    case 'cooldown_seconds':
      return 'cooldownSeconds';
    case 'external_id':
      return 'externalId';
    case 'notification_webhook_ids':
      return 'webhooks';
    default:
      return 'other';
  }
}

function capitalised(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
