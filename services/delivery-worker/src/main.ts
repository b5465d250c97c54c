import { setFlagsFromString } from 'node:v8';
import { runService } from '@tocsin/kit';
import { createDeliveryWorker } from './app.js';
import { loadConfig } from './config.js';

// What belongs to a delivery lives for longer than a young collection and dies old. Left to itself V8 lets that grow to
// four times what is alive; to twice costs 2 % more CPU and saves a third of the memory.
setFlagsFromString('--heap-growing-percent=100');

await runService({
  service: 'delivery-worker',
  start: () => createDeliveryWorker(loadConfig(process.env)),
});
