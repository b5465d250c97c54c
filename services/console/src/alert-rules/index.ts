export { AlertRulePage } from './alert-rule-page.js';
export { AlertRulesPage } from './alert-rules-page.js';
export { NewAlertRulePage } from './new-alert-rule-page.js';
