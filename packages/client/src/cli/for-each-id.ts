import { messageOf } from '@tocsin/kit';
import { ApiError } from '../api/errors.js';
import { CommandFailure, exitCodeOf } from './exit-codes.js';
import type { Output } from './output.js';

/**
 * Runs `work` for one id after the other, and prints the results and the errors. A failure does not prevent the work
 * for the next ids. The exit code of the command is that of the first failure.
 */
export async function forEachId<T>(
  ids: string[],
  {
    out,
    signal,
    work,
    show,
  }: { out: Output; signal: AbortSignal; work(id: string): Promise<T>; show(done: T): string },
): Promise<void> {
  const done: T[] = [];
  const failures: unknown[] = [];
  for (const [index, id] of ids.entries()) {
    if (signal.aborted) break;
    if (ids.length > 1) out.progress(`${index} of ${ids.length}…`);
    try {
      done.push(await work(id));
    } catch (error) {
      failures.push(error);
      if (ids.length > 1) out.note(`${id}: ${describe(error)}`);
    }
  }
  out.progress(undefined);
  out.value(done, () => {
    for (const one of done) out.line(show(one));
  });
  signal.throwIfAborted();
  if (failures.length === 0) return;
  if (ids.length === 1) throw failures[0];
  throw new CommandFailure(exitCodeOf(failures[0]), `${failures.length} of ${ids.length} failed.`);
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  return [error.message, ...error.errors.map(({ path, message }) => `${path} ${message}`)].join(' ');
}
