export { AlertPage } from './alert-page.js';
export { AlertsPage } from './alerts-page.js';
