import { createHash } from 'node:crypto';

/**
 * The built-in rules of notices, by event. A notice is an alert of the rule of its event. The ids must be the same as
 * in the SQL function `is_notice`.
 */
export const noticeRules = {
  'webhook.failing': { id: '480e9723-4847-5368-9e7a-0462eff41855', name: 'Tocsin: webhook failing' },
  'webhook.recovered': { id: 'd9597c24-0cad-58e4-abd0-1bfba0af7e6f', name: 'Tocsin: webhook recovered' },
  'webhook.disabled': { id: '0b652603-4976-5235-85b7-5c66aa5cc1ec', name: 'Tocsin: webhook disabled' },
  'dead_letter.created': { id: '7f268896-cf71-5254-8606-cebd578549dc', name: 'Tocsin: dead letters' },
} as const;

export type NoticeEvent = keyof typeof noticeRules;

const ruleIds: ReadonlySet<string> = new Set(Object.values(noticeRules).map(({ id }) => id));

/**
 * Returns true for the id of a built-in rule, in lower case. Publishers must not use these ids, because a delivery with
 * such an id counts in no statistic and in no health of a webhook.
 */
export function isNoticeRule(alertRuleId: string): boolean {
  return ruleIds.has(alertRuleId);
}

/**
 * Namespace for the ids of notices (RFC 9562, section 5.5). It must never change, because a repeated notice is detected
 * by its id.
 */
const namespace = Buffer.from('5f0e6b0a7d5e4a0b9d0c1f3a6e2b8c41', 'hex');

/** Returns the id of a notice. Equal arguments give equal ids, so that an event is reported only once. */
export function noticeAlertId(event: NoticeEvent, subjectId: string, since: Date): string {
  return uuidV5(`${event}/${subjectId}/${since.toISOString()}`);
}

/** Returns a UUID of version 5 (RFC 9562, section 5.5). */
function uuidV5(name: string): string {
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
