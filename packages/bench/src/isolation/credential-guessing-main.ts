/** Strangers that guess at keys of the engine: half of them at ids that nobody has, half at those of real keys. */

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { serveCommands } from '../test-bed/helper-process.js';

export interface GuessOptions {
  origin: string;
  /** Ids of real keys. */
  ids: readonly string[];
  perSecond: number;
  seconds: number;
}

const connections = 512;

const commands = {
  /** How often each status was the answer. Guesses leave at their rate, however long the answers take. */
  async guess({ origin, ids, perSecond, seconds }: GuessOptions): Promise<Record<string, number>> {
    const pool = new Pool(origin, { connections });
    const statuses: Record<string, number> = {};
    const send = async (id: string) => {
      const key = Buffer.from(`${id}:${randomBytes(32).toString('base64url')}`).toString('base64');
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await pool.request({ path: '/auth/verify', method: 'GET', headers });
      await body.dump();
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    };
    const underWay: Promise<void>[] = [];
    const startedAtMs = performance.now();
    while (underWay.length < perSecond * seconds) {
      const due = ((performance.now() - startedAtMs) / 1_000) * perSecond;
      while (underWay.length < Math.min(due, perSecond * seconds)) {
        const count = underWay.length;
        underWay.push(send(count % 2 === 0 ? randomUUID() : ids[(count >> 1) % ids.length]!));
      }
      await sleep(1);
    }
    await Promise.all(underWay);
    await pool.close();
    return statuses;
  },
};
export type GuessesCommands = typeof commands;

serveCommands(commands);
