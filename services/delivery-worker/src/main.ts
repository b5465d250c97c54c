import { setFlagsFromString } from 'node:v8';
import { runService } from '@tocsin/kit';
import { createDeliveryWorker } from './app.js';
import { loadConfig } from './config.js';

// By default V8 lets the old generation of the heap grow to four times its live size, and the objects of a delivery
// reach the old generation. A limit of 1.6 times the live size keeps a worker at full load below 250 MB.
setFlagsFromString('--heap-growing-percent=60');

await runService({
  service: 'delivery-worker',
  start: () => createDeliveryWorker(loadConfig(process.env)),
});
