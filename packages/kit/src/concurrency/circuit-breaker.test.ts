import { type CircuitBreakerOptions, createCircuitBreaker } from './circuit-breaker.js';

function setUp(options: Partial<CircuitBreakerOptions> = {}) {
  const clock = { ms: 0 };
  return { clock, breaker: createCircuitBreaker({ openAfterMs: 1_000, now: () => clock.ms, ...options }) };
}

test('the circuit breaker opens after 1 s without a response, and allows two probes a second', () => {
  const { clock, breaker } = setUp();
  const seen: Record<string, number[]> = { closed: [], 'half-open': [], open: [] };
  for (; clock.ms < 3_000; clock.ms += 10) seen[breaker.admit()]!.push(clock.ms);
  expect(seen.closed).toHaveLength(100);
  expect(seen['half-open']).toEqual([1_000, 1_500, 2_000, 2_500]);
  expect(seen.open).toHaveLength(196);
});

test('one response closes an open circuit', () => {
  const { clock, breaker } = setUp();
  breaker.admit();
  clock.ms = 2_000;
  expect([breaker.admit(), breaker.admit()]).toEqual(['half-open', 'open']);
  breaker.responded();
  expect([breaker.admit(), breaker.admit()]).toEqual(['closed', 'closed']);
});

test('slow responses keep the circuit closed', () => {
  const { clock, breaker } = setUp();
  for (let round = 0; round < 10; round += 1) {
    expect(breaker.admit()).toBe('closed');
    clock.ms += 900;
    breaker.responded();
  }
});

test('a request that got no response a minute ago does not open the circuit', () => {
  const { clock, breaker } = setUp();
  breaker.admit();
  clock.ms = 60_000;
  expect([breaker.admit(), breaker.admit()]).toEqual(['closed', 'closed']);
});

test('the first probe of an open circuit can be delayed', () => {
  const { clock, breaker } = setUp({ firstProbeAfterMs: 29_000, probeEveryMs: 30_000 });
  const probes: number[] = [];
  for (; clock.ms < 61_000; clock.ms += 100) if (breaker.admit() === 'half-open') probes.push(clock.ms);
  expect(probes).toEqual([30_000, 60_000]);
});

test('an open circuit stays open between requests that are 10 s apart if forgetAfterMs is 30 s', () => {
  const { clock, breaker } = setUp({ firstProbeAfterMs: 30_000, forgetAfterMs: 30_000 });
  const states = [0, 10_000, 20_000].map((ms) => {
    clock.ms = ms;
    return breaker.admit();
  });
  expect(states).toEqual(['closed', 'open', 'open']);
  breaker.responded();
  expect(breaker.admit()).toBe('closed');
});

test('the circuit breaker closes after more than 5 s without a request', () => {
  const stateAfter = (ms: number) => {
    const { clock, breaker } = setUp();
    breaker.admit();
    clock.ms = ms;
    return breaker.admit();
  };
  expect([stateAfter(5_000), stateAfter(5_001)]).toEqual(['half-open', 'closed']);
});
