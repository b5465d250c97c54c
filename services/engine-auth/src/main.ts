import { runService } from '@tocsin/kit';
import { createEngineAuth } from './app.js';
import { loadConfig } from './config.js';

await runService({
  service: 'engine-auth',
  start: () => createEngineAuth(loadConfig(process.env)),
});
