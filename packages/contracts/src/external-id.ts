/** Id that the caller chooses for a webhook or an alert rule. */
export const externalId = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  format: 'printable',
} as const;

export const externalIdOrNull = {
  ...externalId,
  type: ['string', 'null'],
  description:
    'Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id.',
} as const;
