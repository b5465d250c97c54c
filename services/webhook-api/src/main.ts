import { runService } from '@tocsin/kit';
import { createWebhookApi } from './app.js';
import { loadConfig } from './config.js';

await runService({
  service: 'webhook-api',
  start: () => createWebhookApi(loadConfig(process.env)),
});
