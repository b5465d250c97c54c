export { WebhookPage } from './webhook-page.js';
export { WebhooksPage } from './webhooks-page.js';
