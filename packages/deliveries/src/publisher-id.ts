import { hash } from 'node:crypto';
import type { AlertFired } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';

type AlertId = Pick<AlertFired, 'workspace_id' | 'alert_id'>;

/**
 * Returns the id that identifies a principal in the column `alerts.published_by`: 128 bits of a SHA-256 hash of
 * `principalId`.
 */
export function publisherId(principalId: string): string {
  const digits = hash('sha256', principalId);
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, index) => digits.slice(ends[index - 1] ?? 0, end)).join('-');
}

/**
 * Returns the value of the message header that names the principal who published an alert over REST. The value is
 * encrypted with SECRETS_KEYS, and bound to the workspace and the id of the alert, because a monitor can set any header
 * and could otherwise name another publisher. The `user_id` that RabbitMQ checks is not sufficient: it names a user of
 * the broker, and the API and monitors may use the same user.
 */
export function encryptPublisher(id: string, alert: AlertId, secretBox: SecretBox): string {
  return secretBox.encrypt(id, locationOf(alert)).toString('base64');
}

/**
 * Returns the id of the publisher. Returns undefined if there is no header, if the API has not created the header for
 * this alert, or if the key of the header is no longer in SECRETS_KEYS.
 */
export function decryptPublisher(
  header: string | undefined,
  alert: AlertId,
  secretBox: SecretBox,
): string | undefined {
  if (header === undefined) return undefined;
  try {
    return secretBox.decrypt(Buffer.from(header, 'base64'), locationOf(alert)).toString('utf8');
  } catch {
    return undefined;
  }
}

function locationOf({ workspace_id: workspaceId, alert_id: id }: AlertId) {
  return { workspaceId, table: 'alerts', id, column: 'published_by' };
}
