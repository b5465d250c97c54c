/** Entry point for browsers. It exports only modules that use no Node API. */
export { exponentialBackoffMs } from './concurrency/backoff.js';
