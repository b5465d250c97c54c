export interface Behaviour {
  status: number;
  delayMs: number;
  headers: Record<string, string>;
  /** True if the connection is closed without a response. */
  hangUp: boolean;
}

const longestDelayMs = 120_000;

/**
 * Returns how the inbox responds to a request with this path. The path can combine these segments: `status/{code}`,
 * `slow/{n}ms`, `retry-after/{seconds}` and `hang-up`. Any other path gets status 200. The delay is at most two
 * minutes.
 */
export function readBehaviour(path: string): Behaviour {
  const behaviour: Behaviour = { status: 200, delayMs: 0, headers: {}, hangUp: false };
  const segments = path.split('?', 1)[0]!.split('/');
  for (const [index, segment] of segments.entries()) {
    const value = segments[index + 1] ?? '';
    if (segment === 'status' && /^[2-5]\d\d$/.test(value)) behaviour.status = Number(value);
    if (segment === 'slow' && /^\d+(ms)?$/.test(value)) {
      behaviour.delayMs = Math.min(Number.parseInt(value, 10), longestDelayMs);
    }
    if (segment === 'retry-after' && /^\d+$/.test(value)) behaviour.headers['retry-after'] = value;
    if (segment === 'hang-up') behaviour.hangUp = true;
  }
  return behaviour;
}
