import { readOptions } from './options.js';

test('the option --short lowers the default numbers, but an explicit number has precedence', () => {
  expect(readOptions(['--short'])).toMatchObject({ short: true, alerts: 2_000, minutes: 0, sizes: [2_000] });
  expect(readOptions(['--short', '--alerts', '50'])).toMatchObject({ alerts: 50 });
});

test('without options, all scenarios run with the default numbers', () => {
  const { only, alerts, sizes } = readOptions([]);
  expect(only.join(' ')).toBe(
    'throughput rest rest-batch latency low-rate webhook-options scale-out growth auth memory idle cost polls',
  );
  expect({ alerts, sizes }).toEqual({ alerts: 30_000, sizes: [10_000, 1_000_000, 10_000_000] });
});

test.each([
  [['--only', 'thruput'], /no scenario "thruput"/],
  [['--alerts', 'many'], /--alerts takes a number/],
  [['--alerts', ''], /--alerts takes a number/],
  [['--alerts', '-1'], /.+/],
  [['--sizes', '10,,20'], /--sizes takes a number/],
  [['--fast'], /.+/],
])('the benchmark rejects the arguments %j with a reason', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
