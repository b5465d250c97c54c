export {
  type AlertFixture,
  type DeliveryFixture,
  insertAlert,
  insertAlertRule,
  insertAttempt,
  insertDelivery,
  insertWebhook,
  testSecretBox,
  testSecretsKeys,
} from './fixtures.js';
export { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from './test-database.js';
