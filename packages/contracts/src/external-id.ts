/** Id of a webhook or an alert rule that the caller has chosen. */
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
    'Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none.',
} as const;
