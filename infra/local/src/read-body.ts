import type { IncomingMessage } from 'node:http';

export interface BodyLimit {
  /** Name of the body in the error message. */
  what: string;
  maxBytes: number;
}

/** @throws Error if the body is larger than `maxBytes` */
export async function readBody(request: IncomingMessage, { what, maxBytes }: BodyLimit): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the ${what} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
