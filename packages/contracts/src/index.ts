export {
  type AlertFired,
  alertFiredKey,
  alertFiredProperties,
  alertFiredSchema,
  alertKey,
  alertsExchange,
  type Bound,
  createAlertFiredCheck,
} from './alert-fired.js';
export { type ApiKeyDeactivated, apiKeyDeactivatedKey, eventsExchange } from './api-key-deactivated.js';
export { type Checked, createCheck, type Fault } from './check.js';
export {
  type DeliveryDue,
  decodeDeliveryDue,
  deliveriesExchange,
  deliveryDueKey,
  encodeDeliveryDue,
} from './delivery-due.js';
export { findBadText } from './text.js';
export {
  type AlertOutcome,
  alertOutcomes,
  type DeadLetterReason,
  type DeliveryErrorCode,
  type DeliveryStatus,
  deadLetterReasons,
  deliveryStatuses,
  errorCodes,
} from './vocabulary.js';
