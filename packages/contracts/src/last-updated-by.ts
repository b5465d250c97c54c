export const lastUpdatedBy = {
  type: 'string',
  description: 'Issuer and subject of the last caller who changed it.',
  examples: ['https://login.example.com/realms/tocsin#3f0c1f9e'],
} as const;
