export { EditWebhookPage, NewWebhookPage } from './editor-page.js';
