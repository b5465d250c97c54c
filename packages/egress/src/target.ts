import { checkHeaders } from './check-headers.js';
import { type Destination, toDestination } from './destination.js';
import { SendFailure } from './send-failure.js';

/** The parts of a request that are the same for every send of a webhook. */
export interface Target {
  destination: Destination;
  /** Path and query, percent-encoded. */
  path: string;
  /** Header lines as a flat list: name, value, name, value, …. */
  rawHeaders: string[];
}

interface Addressed {
  url: string;
  headers: Record<string, string[]>;
}

/**
 * Returns a function that parses and checks the URL and the headers of a webhook. The result is cached for each headers
 * object, because the same webhook is called many times. The cache keeps only the last URL of a headers object;
 * failures are not cached.
 */
export function createTargets(): (request: Addressed) => Target {
  const known = new WeakMap<Addressed['headers'], { url: string; target: Target }>();
  return ({ url, headers }) => {
    const kept = known.get(headers);
    if (kept?.url === url) return kept.target;
    const target = toTarget(url, headers);
    known.set(headers, { url, target });
    return target;
  };
}

function toTarget(url: string, headers: Addressed['headers']): Target {
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) throw new Error('only http and https are sent');
  return {
    destination: toDestination(parsed),
    path: parsed.pathname + parsed.search,
    rawHeaders: toRawHeaders(headers),
  };
}

/**
 * Checks headers and converts them to lines. The headers were already checked when the webhook was saved. The second
 * check ensures that unchecked headers are never sent.
 */
function toRawHeaders(headers: Record<string, string[]>): string[] {
  if (checkHeaders(headers).length > 0) {
    throw new SendFailure('internal_error', 'The configured headers cannot be sent.');
  }
  const rawHeaders: string[] = [];
  for (const name of Object.keys(headers)) {
    for (const value of headers[name] ?? []) rawHeaders.push(name, value);
  }
  return rawHeaders;
}
