/**
 * Parses the value of a command-line option.
 * @throws Error if the value is not a number of at least 0
 */
export function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`--${name} takes a number, not ${JSON.stringify(text)}.`);
  return value;
}
