import type { DatabaseRetry } from '../database-retry.js';
import { type DeadLetter, type DeadLetterRepository, deadLetterId } from './dead-letter-repository.js';
import { keptOf } from './kept-of.js';

/** Sets messages aside. Each promise resolves after the commit, so that the message may be acknowledged. */
export interface DeadLetters {
  /** False where the message was handed back meanwhile, and nothing written: whoever has it now does so. */
  add(letter: Unnamed, isReturned: () => boolean): Promise<boolean>;
}

type Unnamed = Omit<DeadLetter, 'id'>;

export interface DeadLettersDeps {
  repository: DeadLetterRepository;
  databaseRetry: DatabaseRetry;
  /** The database's clock, in Unix milliseconds: by a worker's own, one that is wrong would set aside what is long expired. */
  now: () => Promise<number>;
}

interface Waiting {
  letter: Unnamed;
  isReturned: () => boolean;
  /** On this process's monotonic clock, in milliseconds. */
  sinceMs: number;
  /** From the first try on. */
  named?: DeadLetter;
}

const maxLettersInBatch = 200;
const maxBytesInStatement = 4 * 1_048_576;

/** A flood of them takes few connections to the database, and a few megabytes. */
export function createDeadLetters({ repository, databaseRetry, now }: DeadLettersDeps): DeadLetters {
  const batcher = databaseRetry.createBatcher<Waiting, boolean>({
    commit: async (waiting) => {
      const aheadMs = (await now()) - performance.now();
      const areOurs = waiting.map(({ isReturned }) => !isReturned());
      const ours = waiting.filter((_, index) => areOurs[index]);
      for (const entry of ours) entry.named ??= name(entry, aheadMs);
      for (const part of partsOf(ours.map(({ named }) => named!))) await repository.add(part);
      return areOurs;
    },
    maxSize: maxLettersInBatch,
    concurrency: 1,
  });
  return {
    add: (letter, isReturned) => batcher.add({ letter, isReturned, sinceMs: performance.now() }),
  };
}

/** By when it came, and not by when it is written: equal ones that came one after the other are told apart. */
function name({ letter, sinceMs }: Waiting, aheadMs: number): DeadLetter {
  return { ...letter, id: deadLetterId(sinceMs + aheadMs, letter) };
}

function partsOf(letters: DeadLetter[]): DeadLetter[][] {
  const parts: DeadLetter[][] = [];
  let bytesLeft = 0;
  for (const letter of letters) {
    const bytes = keptOf(letter.content).length;
    if (parts.length === 0 || bytes > bytesLeft) {
      parts.push([]);
      bytesLeft = maxBytesInStatement;
    }
    parts.at(-1)!.push(letter);
    bytesLeft -= bytes;
  }
  return parts;
}
