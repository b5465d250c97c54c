export {
  type AlertFixture,
  type DeliveryFixture,
  decryptAttemptRow,
  insertAlert,
  insertAttempt,
  insertDelivery,
  insertWorker,
} from './delivery-fixtures.js';
export { untilLockWaits } from './lock-waits.js';
export {
  createEmptyTestDatabase,
  createTestDatabase,
  expectReadyAfterMigration,
  type TestDatabase,
  useTestDatabase,
} from './test-database.js';
export {
  insertAlertRule,
  insertSigningSecret,
  insertWebhook,
  testSecretBox,
  testSecretsKeys,
} from './webhook-fixtures.js';
