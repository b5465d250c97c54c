import { hash } from 'node:crypto';
import type { AlertFired } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';

type AlertId = Pick<AlertFired, 'workspace_id' | 'alert_id'>;

/** Id of a principal in `alerts.published_by`: 128 bits of a SHA-256 hash of its name, which has issuer and subject. */
export function publisherId(principalName: string): string {
  const digits = hash('sha256', principalName);
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, index) => digits.slice(ends[index - 1] ?? 0, end)).join('-');
}

/**
 * Value of the message header that names the publisher of an alert over REST. A monitor can set any header, and the
 * `user_id` that RabbitMQ checks tells only users of the broker apart, which API and monitors may share. The value is
 * therefore encrypted with SECRETS_KEYS, which only our processes have, and bound to workspace and id of the alert.
 */
export function encryptPublisher(id: string, alert: AlertId, secrets: SecretBox): string {
  return secrets.encrypt(id, locationOf(alert)).toString('base64');
}

/** Undefined without a header, and for one that no API has made for this alert. */
export function decryptPublisher(
  header: string | undefined,
  alert: AlertId,
  secrets: SecretBox,
): string | undefined {
  if (header === undefined) return undefined;
  try {
    return secrets.decrypt(Buffer.from(header, 'base64'), locationOf(alert)).toString('utf8');
  } catch {
    return undefined;
  }
}

function locationOf({ workspace_id: workspaceId, alert_id: id }: AlertId) {
  return { workspaceId, table: 'alerts', id, column: 'published_by' };
}
