import { locate } from '../template-error.js';
import { jsonProblems } from './json-problems.js';
import { scanJson } from './json-scanner.js';

export interface PlacedJsonFault {
  /** What is wrong there; it holds nothing of the text. */
  readonly message: string;
  /** Counted from 1, in the text. */
  readonly line: number;
  readonly column: number;
  /** The line itself, and below it a mark at the column. */
  readonly excerpt: string;
}

/** Where a text stops being JSON (RFC 8259), as `JSON.parse` judges it; undefined where it is JSON. */
export function findJsonFault(text: string): PlacedJsonFault | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const { fault } = scanJson(text);
    const message = jsonProblems[fault?.problem ?? 'nested too deeply'];
    return { message, ...locate(text, fault?.offset ?? 0) };
  }
}
