import { checkHeaders } from './check-headers.js';
import { type Destination, toDestination } from './destination.js';
import { SendFailure } from './send-failure.js';

/** What of a request is the same each time that it is sent. */
interface Target {
  destination: Destination;
  /** Path and query, percent-encoded. */
  path: string;
  /** Name, value, name, value: one line on the wire for each pair. */
  lines: string[];
}

interface Addressed {
  url: string;
  headers: Record<string, string[]>;
}

/**
 * Reads and checks URL and headers once for each headers object and the URL last sent with it: a webhook is sent to
 * many times. What fails is not kept.
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
    lines: toLines(headers),
  };
}

/** Fails closed where headers that were never checked get here. */
function toLines(headers: Record<string, string[]>): string[] {
  if (checkHeaders(headers).length > 0) {
    throw new SendFailure('internal_error', 'The configured headers cannot be sent.');
  }
  const lines: string[] = [];
  for (const name of Object.keys(headers)) {
    for (const value of headers[name] ?? []) lines.push(name, value);
  }
  return lines;
}
