import { runService } from '@tocsin/kit';
import { createDeliveryWorker } from './app.js';
import { loadConfig } from './config.js';

await runService({
  service: 'delivery-worker',
  start: () => createDeliveryWorker(loadConfig(process.env)),
});
