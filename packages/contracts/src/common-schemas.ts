export const uuid = { type: 'string', format: 'uuid' } as const;
export const uuidOrNull = { type: ['string', 'null'], format: 'uuid' } as const;

export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

export const count = { type: 'integer', minimum: 0 } as const;

/** Side of the threshold on which an alert rule fires. */
export const bound = { type: 'string', enum: ['upper_bound', 'lower_bound'] } as const;

/** Maximum number of webhooks of an alert rule, of an alert, and for the notices of a workspace. */
export const maxWebhookIds = 20;

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

export const lastUpdatedBy = {
  type: 'string',
  description: 'Issuer and subject of the last caller who changed it.',
  examples: ['https://login.example.com/realms/tocsin#3f0c1f9e'],
} as const;
