/** The entry for browsers: the parts that need nothing of Node. */
export { exponentialBackoffMs } from './concurrency/backoff.js';
