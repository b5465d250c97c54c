/** Action of the caller: send the request (`closed`), send it as a probe (`half-open`), or fail without it (`open`). */
type CircuitState = 'closed' | 'half-open' | 'open';

/**
 * A circuit breaker for a dependency that hangs instead of failing. It opens when no response of any kind has arrived
 * within `openAfterMs` of a request. Failures do not open it, because a failure is a response too.
 */
export interface CircuitBreaker {
  /** Must be called before each request. */
  admit(): CircuitState;
  /** Must be called for each response, including late ones. Closes the circuit. */
  responded(): void;
}

export interface CircuitBreakerOptions {
  /**
   * Time without a response after which the circuit opens, in milliseconds. It starts with the first request after the
   * last response.
   */
  openAfterMs: number;
  /** Time from the opening of the circuit to the first probe, in milliseconds. Default: 0. */
  firstProbeAfterMs?: number;
  /** Time between two probes, in milliseconds. Default: 500. */
  probeEveryMs?: number;
  /**
   * Time without a request, in milliseconds, after which the circuit closes, because the state of the dependency is no
   * longer known. Default: 5,000.
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
