/**
 * `closed`: send the request. `half-open`: send this one request as a probe. `open`: fail at once, send nothing.
 */
type CircuitState = 'closed' | 'half-open' | 'open';

/**
 * A circuit breaker for a dependency that hangs instead of failing. It opens when requests have been sent and no
 * response of any kind has come for `openAfterMs`; it does not count failures, for a failure is a response.
 */
export interface CircuitBreaker {
  /** Call it before each request. */
  admit(): CircuitState;
  /** Call it for each response, a late one included. It closes the circuit. */
  responded(): void;
}

export interface CircuitBreakerOptions {
  /** Time without any response, in milliseconds from the first unanswered request, after which the circuit opens. */
  openAfterMs: number;
  /** Time from the opening of the circuit to the first probe, in milliseconds. Default: 0. */
  firstProbeAfterMs?: number;
  /** Time between two probes, in milliseconds. Default: 500. */
  probeEveryMs?: number;
  /**
   * Time without any request, in milliseconds, after which the circuit closes, because nothing is known about the
   * dependency then. Default: 5,000.
   */
  forgetAfterMs?: number;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { openAfterMs, firstProbeAfterMs = 0, probeEveryMs = 500, forgetAfterMs = 5_000 } = options;
  const { now = () => performance.now() } = options;
  let firstUnansweredAtMs: number | undefined;
  let lastRequestAtMs = 0;
  let nextProbeAtMs = 0;
  return {
    admit() {
      const nowMs = now();
      if (firstUnansweredAtMs === undefined || nowMs - lastRequestAtMs > forgetAfterMs) {
        firstUnansweredAtMs = nowMs;
        nextProbeAtMs = nowMs + openAfterMs + firstProbeAfterMs;
      }
      lastRequestAtMs = nowMs;
      if (nowMs - firstUnansweredAtMs < openAfterMs) return 'closed';
      if (nowMs < nextProbeAtMs) return 'open';
      nextProbeAtMs = nowMs + probeEveryMs;
      return 'half-open';
    },
    responded() {
      firstUnansweredAtMs = undefined;
    },
  };
}
