import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAccounts, type RunningProvider } from '@tocsin/local';
import { signInDevice } from './support/browser.js';
import { type CliOptions, cli } from './support/cli.js';
import { createManualClock } from './support/manual-clock.js';
import { startRealm } from './support/realm.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

const accounts = makeAccounts({ workspaceId: randomUUID(), otherWorkspaceId: randomUUID() });
let realm: RunningProvider;
let api: ScriptedApi;
beforeAll(async () => {
  realm = await startRealm({ accounts, engineAudience: [] });
});
afterAll(() => realm.close());
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const homes = mkdtempSync(join(tmpdir(), 'tocsin-login-'));
afterAll(() => rmSync(homes, { recursive: true }));
const newHome = () => mkdtempSync(join(homes, 'home-'));
const fileOf = (home: string) => join(home, '.config', 'tocsin', 'login.json');

const addresses = () => ['--issuer', realm.issuer, '--api-url', api.url, '--workspace', 'w'];

async function logIn(home: string, { deny = false, flags = addresses() } = {}) {
  let printed = '';
  const clock = createManualClock({
    whileSleeping: async () => {
      const verificationUri = /Open (\S+)/.exec(printed)?.[1] ?? '';
      await signInDevice({
        verificationUri,
        username: 'reader',
        password: accounts.users.reader.password,
        deny,
      });
    },
  });
  const options: CliOptions = {
    env: { HOME: home },
    clock,
    onOutput: ({ stderr }) => {
      printed = stderr;
    },
  };
  return { result: await cli(['login', ...flags], options), clock };
}

test('login shows a link and a code, and stores the login in a file with mode 600', async () => {
  const home = newHome();
  const { result } = await logIn(home);
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Open http.+the code [A-Z]{4}-[A-Z]{4}/s),
  });
  expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, '.config', 'tocsin')).mode & 0o777).toBe(0o700);
});

test('later commands use the stored login, even if they run concurrently and refresh tokens', async () => {
  const home = newHome();
  const { clock } = await logIn(home);
  const list = () => cli(['webhooks', 'list', '--json'], { env: { HOME: home }, clock });
  api.script(...Array.from({ length: 99 }, () => ({ body: [] })));
  expect(await list()).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(api.seen[0]?.url).toBe('/api/v1/workspaces/w/webhooks');
  for (let round = 0; round < 3; round += 1) {
    clock.advance(31_000);
    const codes = (await Promise.all(Array.from({ length: 8 }, list))).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([0]));
  }
  const used = new Set(api.seen.map(({ headers }) => headers.authorization));
  expect(used.size).toBe(4);
});

test('logout deletes the stored login', async () => {
  const home = newHome();
  await logIn(home);
  expect(await cli(['logout'], { env: { HOME: home } })).toMatchObject({
    code: 0,
    stdout: `Logged out of ${realm.issuer}.\n`,
  });
  expect(await cli(['whoami', '--api-url', api.url], { env: { HOME: home } })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('tocsin login'),
  });
  expect(await cli(['logout'], { env: { HOME: home } })).toMatchObject({
    code: 0,
    stdout: `No login is stored in ${fileOf(home)}.\n`,
  });
});

test('after the end of a login, the next login needs no options', async () => {
  const home = newHome();
  const { clock } = await logIn(home);
  const { tokens, ...login } = JSON.parse(readFileSync(fileOf(home), 'utf8'));
  writeFileSync(fileOf(home), JSON.stringify({ ...login, tokens: { ...tokens, refreshToken: 'ended' } }));
  clock.advance(3_600_000);
  expect(await cli(['whoami'], { env: { HOME: home }, clock })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('The login has ended'),
  });
  expect(JSON.parse(readFileSync(fileOf(home), 'utf8'))).toEqual(login);
  expect((await logIn(home, { flags: [] })).result.code).toBe(0);
  expect(JSON.parse(readFileSync(fileOf(home), 'utf8'))).toMatchObject({ ...login, tokens: {} });
});

test.each<[string, string[], Record<string, string>]>([
  ['provider', ['--issuer', 'https://other.example.com/realms/x'], {}],
  ['client', [], { TOCSIN_CLIENT_ID: 'service' }],
])('logout deletes the stored login even if the settings name another %s', async (_name, flags, env) => {
  const home = newHome();
  await logIn(home);
  expect(await cli(['logout', '--json', ...flags], { env: { HOME: home, ...env } })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`"issuer": "${realm.issuer}"`),
  });
  expect(() => statSync(fileOf(home))).toThrow('ENOENT');
});

test('a denied login exits with 3 and stores nothing', async () => {
  const home = newHome();
  expect((await logIn(home, { deny: true })).result).toMatchObject({ code: 3 });
  expect(() => statSync(fileOf(home))).toThrow('ENOENT');
});

test.each(['', '{', 'null', '[]', '{"issuer":1}'])(
  'a login file with the content %j is ignored',
  async (content) => {
    const home = newHome();
    await logIn(home);
    writeFileSync(fileOf(home), content);
    expect((await cli(['whoami', '--api-url', api.url], { env: { HOME: home } })).code).toBe(3);
  },
);

test('a client secret without a client id is an error, even if a login is stored', async () => {
  const home = newHome();
  await logIn(home);
  const env = { HOME: home, TOCSIN_CLIENT_SECRET: 'secret' };
  expect(await cli(['whoami'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('TOCSIN_CLIENT_ID'),
  });
});

test('a stored login is used only with the identity provider that issued it', async () => {
  const home = newHome();
  await logIn(home);
  const words = ['whoami', '--api-url', api.url, '--issuer', 'https://other.example.com/realms/x'];
  expect((await cli(words, { env: { HOME: home } })).code).toBe(3);
  expect(api.seen).toHaveLength(0);
  expect(JSON.parse(readFileSync(fileOf(home), 'utf8')).tokens).toBeDefined();
});
