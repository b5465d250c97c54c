import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Principal } from './principal.js';
import { createTokenCache } from './token-cache.js';

function setUp() {
  const state = { nowMs: Date.now() };
  const tasks: (() => void)[] = [];
  const addInterval = (task: () => void) => void tasks.push(task);
  const cache = createTokenCache({ shutdown: { addInterval }, now: () => state.nowMs });
  const add = (token: string, { workspaces = 0, lifetimeMs = 300_000 } = {}) => {
    const principal = principalIn(workspaces);
    cache.set(token, { principal, expiresAtMs: state.nowMs + lifetimeMs });
    return principal;
  };
  const runTasks = () => {
    for (const task of tasks) task();
  };
  return { ...cache, add, state, runTasks };
}

function principalIn(workspaces: number): Principal {
  return {
    issuer: 'https://id.example',
    subject: randomUUID(),
    display: 'Ada',
    workspaceRoles: new Map(Array.from({ length: workspaces }, () => [randomUUID(), new Set(['reader'])])),
    deploymentRoles: new Set(),
  };
}

test('a principal is cached for 30 s, and never longer than its token is valid', () => {
  const { get, add, state } = setUp();
  const [long, short] = [add('long'), add('short', { lifetimeMs: 10_000 })];
  add('expired', { lifetimeMs: 0 });
  state.nowMs += 9_999;
  expect([get('long'), get('short'), get('expired')]).toEqual([long, short, undefined]);
  state.nowMs += 20_000;
  expect([get('long'), get('short')]).toEqual([long, undefined]);
  state.nowMs += 2;
  expect(get('long')).toBeUndefined();
});

test('the token cache keeps the latest principals that fit in 32 MiB', () => {
  const { get, add } = setUp();
  for (let count = 0; count < 1_000; count += 1) add(`${count}`, { workspaces: 240 });
  const isCached = (count: number) => get(`${count}`) !== undefined;
  const cached = Array.from({ length: 1_000 }, (_, count) => count).filter(isCached);
  expect([cached.at(0), cached.at(-1)]).toEqual([1_000 - cached.length, 999]);
  // A principal with 240 workspaces takes about 67 kB.
  expect(cached.length).toBeGreaterThan(400);
  expect(cached.length * 67_000).toBeLessThan(32 * 1_048_576);
});

test('the token cache has room for 10,000 principals with roles in a few workspaces', () => {
  const { get, add } = setUp();
  for (let count = 0; count < 10_000; count += 1) add(`${count}`, { workspaces: 5 });
  expect(get('0')).toBeDefined();
});

test('a cached principal is removed from memory after 30 s, even without another request', async () => {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { add, state, runTasks } = setUp();
  const principal = new WeakRef(add('a token'));
  const isInMemory = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    return principal.deref() !== undefined;
  };
  runTasks();
  expect(await isInMemory()).toBe(true);
  state.nowMs += 30_001;
  runTasks();
  expect(await isInMemory()).toBe(false);
});
