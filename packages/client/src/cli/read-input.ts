import { readFile } from 'node:fs/promises';
import { CommandFailure, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';

/** Reads the text of a file. `-` means standard input. */
export async function readText(file: string, { stdin }: Io): Promise<string> {
  const bytes = file === '-' ? await readAll(stdin) : await readFileOrFail(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(exitCodes.usage, `${nameOf(file)} is not UTF-8 text.`);
  }
}

async function readJson(file: string, io: Io): Promise<unknown> {
  const text = await readText(file, io);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `${nameOf(file)} is not JSON: ${(error as Error).message}`);
  }
}

export async function readJsonObject(file: string, io: Io): Promise<Record<string, unknown>> {
  const value = await readJson(file, io);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CommandFailure(exitCodes.usage, `${nameOf(file)} must hold a JSON object.`);
}

/**
 * Reads the fields of a resource from the file of the option `--from`. From the output of `get --json`, which has an id
 * and a creation time, members that callers cannot write are removed. Any other object is returned unchanged, so that
 * the API reports its invalid members.
 */
export async function readFieldsFrom(
  file: string,
  { io, writable }: { io: Io; writable: readonly string[] },
): Promise<Record<string, unknown>> {
  const value = await readJsonObject(file, io);
  const isResource = 'id' in value && 'created_at' in value;
  if (!isResource) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => writable.includes(name)));
}

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function readAll(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function readFileOrFail(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : String(error);
    throw new CommandFailure(exitCodes.usage, `${file} cannot be read: ${why}.`);
  }
}
