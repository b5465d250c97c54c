import { maxAlertBytes } from '@tocsin/contracts';
import { type AlertProblem, createAlertCheck } from '../../publish/check-alert.js';
import type { Context } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { type AlertEntry, readAlerts } from '../read-alerts.js';
import { nameOf } from '../read-input.js';

export interface ValidateFlags {
  amqp?: boolean;
}

/** Checks all alerts of a file without a server, and prints all problems. */
export async function validateAlerts(context: Context<ValidateFlags>): Promise<void> {
  const {
    args: [file = ''],
    options: { amqp = false },
    io,
    out,
  } = context;
  const checkChosen = createAlertCheck({ over: amqp ? 'amqp' : 'rest' });
  const checkMessage = createAlertCheck({ over: 'amqp' });
  const results = (await readAlerts(file, io)).map((read) => {
    const problems = problemsOf(read, checkChosen);
    return {
      entry: read.entry,
      problems,
      overAmqp: problems.length > 0 ? [] : problemsOf(read, checkMessage),
    };
  });
  const shown = results.map(({ entry, problems, overAmqp }) => ({ entry, problems, over_amqp: overAmqp }));
  out.value(shown, () => {
    for (const { entry, problems } of results) {
      for (const problem of problems) out.line(`${nameOf(file)}, entry ${entry}: ${sentence(problem)}`);
    }
  });
  for (const { entry, overAmqp } of results) {
    if (overAmqp.length > 0)
      out.note(`Entry ${entry}, over AMQP also: ${overAmqp.map(sentence).join('; ')}.`);
  }
  const invalid = results.filter(({ problems }) => problems.length > 0).length;
  const way = amqp ? 'over AMQP' : 'over REST';
  if (invalid > 0) {
    throw new CommandFailure(
      exitCodes.invalid,
      `${invalid} of ${results.length} alerts are not valid ${way}.`,
    );
  }
  if (!out.json)
    out.line(`${results.length === 1 ? 'The alert is' : `All ${results.length} alerts are`} valid ${way}.`);
}

function problemsOf(read: AlertEntry, check: (alert: unknown) => AlertProblem[]): AlertProblem[] {
  if ('problem' in read) return [{ path: '', message: read.problem }];
  const bytes = bytesOf(read.value);
  if (bytes === undefined) return [{ path: '', message: 'is nested too deeply' }];
  if (bytes > maxAlertBytes)
    return [{ path: '', message: `has ${bytes} bytes; ${maxAlertBytes} are allowed` }];
  return check(read.value);
}

/**
 * Returns the size of a value as JSON in bytes, or undefined if it is nested too deeply for `JSON.stringify`.
 */
function bytesOf(value: unknown): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sentence({ path, message }: AlertProblem): string {
  return `${path === '' ? 'the alert' : path} ${message}`;
}
