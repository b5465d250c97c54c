import { randomUUID } from 'node:crypto';
import type { Database, SecretBox } from '@tocsin/database';
import { insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { bodyTemplate, headers } from '../destination/delivery-body.js';

/** A workspace with one alert rule and the webhooks attached to it. */
export interface Fixtures {
  workspaceId: string;
  alertRuleId: string;
  webhookIds: string[];
}

export interface FixturesOptions {
  secrets: SecretBox;
  /** URLs of the webhooks. The rule gets one webhook for each URL, in this order, and none if the list is empty. */
  urls: string[];
  /** Body template of the webhooks. With the default template, the destination can count requests. */
  body?: string;
}

/** Inserts the rows that the API inserts for a workspace, a rule and its webhooks. */
export async function writeFixtures(
  database: Database,
  { secrets, urls, body = bodyTemplate }: FixturesOptions,
): Promise<Fixtures> {
  const workspaceId = randomUUID();
  const webhookIds: string[] = [];
  for (const url of urls)
    webhookIds.push(await insertWebhook(database, { workspaceId, url, headers, body, secretBox: secrets }));
  const alertRuleId = await insertAlertRule(database, { workspaceId, webhookIds });
  return { workspaceId, alertRuleId, webhookIds };
}
