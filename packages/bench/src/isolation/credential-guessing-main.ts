/**
 * Sends `/auth/verify` requests with random secrets. Every second request has one of the given key ids. The other
 * requests, or all if no id is given, have random key ids.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { serveCommands } from '../test-bed/helper-process.js';

export interface GuessingOptions {
  origin: string;
  /** Ids of existing keys, used in every second request. Empty: all requests have random key ids. */
  ids: readonly string[];
  perSecond: number;
  seconds: number;
}

const connections = 512;

const commands = {
  /** Sends requests at a fixed rate, regardless of response times. Returns the number of responses by status. */
  async guess({ origin, ids, perSecond, seconds }: GuessingOptions): Promise<Record<string, number>> {
    const pool = new Pool(origin, { connections });
    const statuses: Record<string, number> = {};
    const send = async (id: string) => {
      const key = Buffer.from(`${id}:${randomBytes(32).toString('base64url')}`).toString('base64');
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await pool.request({ path: '/auth/verify', method: 'GET', headers });
      await body.dump();
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    };
    const requests: Promise<void>[] = [];
    const startedAtMs = performance.now();
    while (requests.length < perSecond * seconds) {
      const due = ((performance.now() - startedAtMs) / 1_000) * perSecond;
      while (requests.length < Math.min(due, perSecond * seconds)) {
        const count = requests.length;
        const known = count % 2 === 0 ? undefined : ids[(count >> 1) % ids.length];
        requests.push(send(known ?? randomUUID()));
      }
      await sleep(1);
    }
    await Promise.all(requests);
    await pool.close();
    return statuses;
  },
};
export type GuessingCommands = typeof commands;

serveCommands(commands);
