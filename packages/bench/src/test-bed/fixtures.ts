import { randomUUID } from 'node:crypto';
import type { Database, SecretBox } from '@tocsin/database';
import { insertAlertRule, insertSigningSecret, insertWebhook } from '@tocsin/testing/database';
import { bodyTemplate, headers } from '../destination/delivery-body.js';

/** A workspace with one alert rule. The rule calls the webhooks in `webhookIds`. */
export interface Fixtures {
  workspaceId: string;
  alertRuleId: string;
  webhookIds: string[];
}

export interface FixturesOptions {
  secretBox: SecretBox;
  /** URLs of the webhooks. The rule gets one webhook for each URL, in this order. */
  urls: string[];
  /** Body template of the webhooks. The destination can count requests only with the default template. */
  body?: string;
  /** True to sign the requests. */
  signing?: boolean;
  /** Rate limit of each webhook. By default there is none. */
  rateLimit?: { requests: number; periodMs: number };
}

/** Inserts an alert rule and its webhooks into the database, with the rows that the API would insert. */
export async function writeFixtures(
  database: Database,
  { secretBox, urls, body = bodyTemplate, signing = false, rateLimit }: FixturesOptions,
): Promise<Fixtures> {
  const workspaceId = randomUUID();
  const webhookIds: string[] = [];
  const limits = { rate_limit_requests: rateLimit?.requests, rate_limit_period_ms: rateLimit?.periodMs };
  const columns = { signing, ...(rateLimit && limits) };
  for (const url of urls) {
    const webhookId = await insertWebhook(database, { workspaceId, url, headers, body, secretBox, columns });
    if (signing) await insertSigningSecret(database, { workspaceId, webhookId, secretBox });
    if (rateLimit !== undefined)
      await database.knex('webhook_rate_limits').insert({
        webhook_id: webhookId,
        requests: rateLimit.requests,
        period_ms: rateLimit.periodMs,
      });
    webhookIds.push(webhookId);
  }
  const alertRuleId = await insertAlertRule(database, { workspaceId, webhookIds });
  return { workspaceId, alertRuleId, webhookIds };
}
