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
  /** One webhook for each url, in this order. Without urls the rule has no webhooks. */
  urls: string[];
  /** Body template of the webhooks; default: one whose requests the destination can count. */
  body?: string;
}

/** Writes the rows that the API would write. */
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
