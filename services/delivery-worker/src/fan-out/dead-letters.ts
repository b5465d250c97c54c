import type { Patience } from '../patience.js';
import { createPatientBatcher } from '../patient-batcher.js';
import {
  type DeadLetter,
  type DeadLetterRepository,
  deadLetterId,
  keptOf,
} from './dead-letter-repository.js';

/** Sets messages aside. Each promise resolves after the commit, so that the message may be acknowledged. */
export interface DeadLetters {
  add(letter: Omit<DeadLetter, 'id'>): Promise<void>;
}

export interface DeadLettersDeps {
  repository: DeadLetterRepository;
  patience: Patience;
  now: () => number;
}

const maxLettersInBatch = 200;
const maxBytesInStatement = 4 * 1_048_576;

/** A flood of them takes few connections to the database, and a few megabytes. */
export function createDeadLetters({ repository, patience, now }: DeadLettersDeps): DeadLetters {
  const batcher = createPatientBatcher<DeadLetter, void>({
    patience,
    commit: async (letters) => {
      for (const part of partsOf(letters)) await repository.add(part);
      return letters.map(() => undefined);
    },
    maxSize: maxLettersInBatch,
    lanes: 1,
  });
  return { add: (letter) => batcher.add({ ...letter, id: deadLetterId(now(), letter) }) };
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
