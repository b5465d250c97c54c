import { createSecretBox, type Database, parseSecretKeys } from '@tocsin/database';
import {
  type AlertFixture,
  type DeliveryFixture,
  insertAlert,
  insertDelivery,
} from '@tocsin/testing/database';
import { workspaceId } from './api.js';

/** Inserts an alert in the workspace of the tests, and returns its alert_id. */
export async function seedAlert(database: Database, fixture: AlertFixture = {}): Promise<string> {
  return (await insertAlert(database, { workspaceId, ...fixture })).alertId;
}

/** Inserts a delivery in the workspace of the tests, and returns its id. */
export async function seedDelivery(database: Database, fixture: DeliveryFixture = {}): Promise<string> {
  return insertDelivery(database, { workspaceId, ...fixture });
}

/** Encrypts values with a key that the service does not have. */
export const foreignBox = createSecretBox(parseSecretKeys(`k9:${Buffer.alloc(32, 9).toString('base64')}`));
