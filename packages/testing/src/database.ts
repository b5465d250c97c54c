export {
  type AlertFixture,
  type DeliveryFixture,
  decryptExchange,
  insertAlert,
  insertAlertRule,
  insertAttempt,
  insertDelivery,
  insertSigningSecret,
  insertWebhook,
  insertWorker,
  testSecretBox,
  testSecretsKeys,
} from './fixtures.js';
export { untilLockWaits } from './lock-waits.js';
export {
  createEmptyTestDatabase,
  createTestDatabase,
  expectReadyAfterMigration,
  type TestDatabase,
  useTestDatabase,
} from './test-database.js';
