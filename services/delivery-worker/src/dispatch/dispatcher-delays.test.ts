import { candidateOf, pausedIn, run, type Setting } from '../../test/support/dispatcher-passes.js';

const busy = { candidates: [candidateOf('a')] };
const half = { candidates: [candidateOf('a', { due: 50 })] };
const overHalf = { candidates: [candidateOf('a', { due: 51 })] };

test.each<[number, string, Setting]>([
  [250, 'while nothing is due', {}],
  [250, 'after a pass whose statement marked no row as queued', { ...busy, found: 0 }],
  [50, 'after a pass that queued something', busy],
  [50, 'after a pass that postponed something', { paused: pausedIn(17) }],
  [50, 'while a webhook with a rate limit has deliveries due', { hasLimited: true }],
  [50, 'while the window is full', { freePlaces: 0 }],
  [10, 'after a pass that found nothing while workspaces remain to be visited', { isPartial: true }],
  [10, 'after a pass that filled more than half of a nearly empty window', overHalf],
  [50, 'after a pass that filled half of the window', half],
  [50, 'while unclaimed deliveries fill half of the window', { ...overHalf, unclaimed: 50 }],
  [50, 'including the 30 ms that publishing takes', { ...busy, publishMs: 30 }],
  [70, 'including the 60 ms that publishing takes', { ...busy, publishMs: 60 }],
])('the next pass of a dispatcher starts after %i ms %s', async (delayMs, _, setting) => {
  expect((await run(3, setting)).delaysMs).toEqual([delayMs, delayMs]);
});

test('without open deliveries, a dispatcher waits for 1,000 ms, or 250 ms with several workers', async () => {
  const open = [false, false];
  expect((await run(3, { open: [...open] })).delaysMs).toEqual([250, 1_000]);
  expect((await run(3, { open: [...open], workers: 2 })).delaysMs).toEqual([250, 250]);
});

test('a new waiting delivery ends a delay of the dispatcher only if no delivery was open before', async () => {
  expect((await run(3, { open: [false, false], wakes: true })).delaysMs).toEqual([250, 0]);
  expect((await run(3, { ...busy, wakes: true })).delaysMs).toEqual([50, 50]);
});

test('a random factor makes each delay of a dispatcher up to 25 % shorter or longer', async () => {
  const delayWith = async (random: number) => (await run(3, { open: [false, false], random })).delaysMs[1];
  expect([await delayWith(0), await delayWith(1)]).toEqual([750, 1_250]);
});
