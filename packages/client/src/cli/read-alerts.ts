import { CommandFailure, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { nameOf, readText } from './read-input.js';

/** One alert of a file, or the reason why it cannot be read. `entry` is its position in the file, counted from 1. */
export type AlertEntry = { entry: number } & ({ value: unknown } | { problem: string });

/** Reads alerts from JSON: one alert, an array of alerts, or one alert on each line. `-` means standard input. */
export async function readAlerts(file: string, io: Io): Promise<AlertEntry[]> {
  const text = await readText(file, io);
  const entries = parseAlerts(text);
  if (entries.length === 0) throw new CommandFailure(exitCodes.usage, `${nameOf(file)} holds no alert.`);
  return entries;
}

function parseAlerts(text: string): AlertEntry[] {
  if (text.trim() === '') return [];
  const whole = parse(text);
  if ('value' in whole) return [whole.value].flat().map((value, index) => ({ entry: index + 1, value }));
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse);
  // If no line is a JSON object or array, the file is probably one invalid document. One problem is then reported for
  // the whole file, and not one for each line.
  const areLines = lines.some((line) => 'value' in line && typeof line.value === 'object');
  return (areLines ? lines : [whole]).map((line, index) => ({ entry: index + 1, ...line }));
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The parser's message quotes the text with its line breaks. They are replaced, so that each problem is one line.
    return { problem: `is not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}` };
  }
}
