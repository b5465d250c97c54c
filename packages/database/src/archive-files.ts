import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/**
 * Description of one file of the archive. The manifest is stored next to the file as `{file}.json`, and is written
 * after the file.
 */
export interface ArchiveManifest {
  /** Name of the file. It contains one row as JSON in each line, and is compressed with gzip. */
  file: string;
  table: string;
  day: string;
  rows: number;
  /** Size and SHA-256 of the compressed file. */
  bytes: number;
  sha256: string;
  columns: string[];
  /** Ids of the keys in SECRETS_KEYS that decrypt the values of the columns `*_encrypted`. */
  key_ids: string[];
  archived_at: string;
}

/**
 * Compression level of gzip. An attempt of 982 bytes is compressed to 426 bytes with level 1. Level 6 takes twice the
 * time and saves only 16 bytes more.
 */
const compression = { level: 1 };

/**
 * Writes a file and then its manifest. Both are first written under a temporary name, synced to disk and renamed. A
 * file with a manifest is therefore complete, even after a crash. Files of an interrupted run are replaced.
 */
export async function writeArchiveFile(
  directory: string,
  batches: AsyncIterable<{ rows: number; text: string }>,
  describe: Omit<ArchiveManifest, 'file' | 'rows' | 'bytes' | 'sha256'> & { name: string },
): Promise<ArchiveManifest> {
  const { name, ...rest } = describe;
  const file = `${name}.jsonl.gz`;
  let rows = 0;
  const texts = async function* () {
    for await (const batch of batches) {
      rows += batch.rows;
      yield batch.text;
    }
  };
  const measure = createMeasure();
  let manifest: ArchiveManifest | undefined;
  await writeDurably(join(directory, file), async (target) => {
    await pipeline(texts, createGzip(compression), measure.pass, target);
    manifest = { file, ...rest, rows, ...measure.result() };
    await requireNoOther(directory, manifest);
  });
  await writeDurably(join(directory, `${file}.json`), (target) =>
    pipeline(Readable.from([`${JSON.stringify(manifest, null, 2)}\n`]), target),
  );
  return manifest!;
}

/**
 * Throws if the archive already contains a file with this name and other rows. Such a file must not be replaced. A run
 * after a crash writes the same rows in the same order, so its file equals the existing one.
 */
async function requireNoOther(directory: string, { file, sha256 }: ArchiveManifest): Promise<void> {
  const text = await readFile(join(directory, `${file}.json`), 'utf8').catch(() => undefined);
  if (text !== undefined && (JSON.parse(text) as ArchiveManifest).sha256 !== sha256)
    throw new Error(`${file} exists with other rows; move it and its manifest to another directory`);
}

async function writeDurably(
  path: string,
  write: (target: NodeJS.WritableStream) => Promise<void>,
): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await write(createWriteStream(partial, { flush: true, mode: 0o600 }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  const directory = await open(dirname(path));
  await directory.sync().finally(() => directory.close());
}

/** Reads the manifests of a day. */
export async function readManifests(directory: string, day: string): Promise<ArchiveManifest[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(`-${day}.jsonl.gz.json`)).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(directory, name), 'utf8')) as ArchiveManifest),
  );
}

const batchLines = 100;

/**
 * Passes the lines of a file to `take`, in batches. Rejects after the last batch if size, hash or row count differ from
 * the manifest.
 */
export async function readArchiveFile(
  directory: string,
  { file, rows, bytes, sha256 }: ArchiveManifest,
  take: (lines: string[]) => Promise<void>,
): Promise<void> {
  const measure = createMeasure();
  let taken = 0;
  await pipeline(
    createReadStream(join(directory, file)),
    measure.pass,
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      let lines: string[] = [];
      for await (const line of linesOf(chunks)) {
        lines.push(line);
        if (lines.length < batchLines) continue;
        await take(lines);
        taken += lines.length;
        lines = [];
      }
      if (lines.length > 0) await take(lines);
      taken += lines.length;
    },
  );
  const found = { ...measure.result(), rows: taken };
  if (found.sha256 !== sha256 || found.bytes !== bytes || found.rows !== rows)
    throw new Error(`${file} is not the file of its manifest: it has ${JSON.stringify(found)}`);
}

/** Splits a text at line feeds only. `readline` also splits at U+2028, which JSON can contain. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest + decoder.decode() !== '') throw new Error('The last line does not end.');
}

/** Creates a stream stage that measures size and SHA-256 of the bytes that pass through it. */
function createMeasure() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *pass(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}
