import { atRisk } from './exposure.js';
import { judge } from './judge.js';

const fine = { lost: 0, repeated: 0, repeats: new Map<number, number>(), disagreements: [] };

function repeating(...repeats: [number, number][]) {
  const repeated = repeats.reduce((sum, [, times]) => sum + times, 0);
  return { ...fine, repeated, repeats: new Map(repeats) };
}

test('what was in flight may be repeated, once for each time that it was', () => {
  expect(judge(repeating([4, 1], [6, 2]), atRisk([4, 6, 6], 'claimed', 0))).toEqual([]);
});

test.each<[string, ReturnType<typeof repeating>, string[]]>([
  ['none of those that were in flight', repeating([5, 1]), ['1 repeated that were not in flight']],
  ['too often', repeating([4, 2]), ['1 repeated more often than they were in flight']],
  [
    'more than there were',
    repeating([4, 1], [6, 3]),
    ['4 repeated, 3 were in flight', '1 repeated more often than they were in flight'],
  ],
])('a repeat of %s is a problem', (_, comparison, problems) => {
  expect(judge(comparison, atRisk([4, 6, 6], 'claimed', 0))).toEqual(problems);
});

test('what is lost and what disagrees is a problem, whatever was in flight', () => {
  const comparison = { ...fine, lost: 2, disagreements: ['a', 'b'] };
  expect(judge(comparison, atRisk([], 'claimed', 0))).toEqual(['2 lost', 'records disagree, first: a']);
});
