import { createStandings } from './standing.js';

const rendered = (...ms: number[]) => {
  const standings = createStandings(() => 0);
  for (const tookMs of ms) standings.rendered('w', tookMs);
  return standings.of('w').dear;
};

test.each<[string, boolean, number[]]>([
  ['cheap', false, [1, 1, 1]],
  ['held up once by the machine', false, [1, 500, 1, 1]],
  ['held up now and then', false, Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? 60 : 0.1))],
  ['dear', true, [60, 60]],
  ['dear every other time', true, [60, 1, 60, 1, 60, 1, 60]],
  ['cheap again, after it was dear for long', false, [...Array(100).fill(60), ...Array(9).fill(1)]],
])('a webhook whose body is %s: dear %p', (_, dear, ms) => {
  expect(rendered(...ms)).toBe(dear);
});
