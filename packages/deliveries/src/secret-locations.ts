import type { SecretLocation } from '@tocsin/database';

// Locations of encrypted values. They are authenticated data: if a location changes, stored values of this location
// cannot be decrypted any more.

/** An attempt, identified by its delivery and the number of its claim. */
export interface AttemptKey {
  workspaceId: string;
  deliveryId: string;
  claim: number;
}

interface RowKey {
  workspaceId: string;
  id: string;
}

/**
 * Location of the content of an attempt. The column has the name `exchange` because it is part of stored values. In the
 * code, an exchange is always an exchange of AMQP.
 */
export function attemptLocation({ workspaceId, deliveryId, claim }: AttemptKey): SecretLocation {
  return { workspaceId, table: 'attempts', id: `${deliveryId}/${claim}`, column: 'exchange' };
}

/** Location of a rendered body that was not JSON. */
export function renderedLocation({ workspaceId, id }: RowKey): SecretLocation {
  return { workspaceId, table: 'deliveries', id, column: 'rendered' };
}

export function webhookLocation(
  { workspaceId, id }: RowKey,
  column: 'url' | 'headers' | 'body',
): SecretLocation {
  return { workspaceId, table: 'webhooks', id, column };
}

export function signingSecretLocation({ workspaceId, id }: RowKey): SecretLocation {
  return { workspaceId, table: 'webhook_signing_secrets', id, column: 'secret' };
}
