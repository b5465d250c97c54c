import { MessageChannel } from 'node:worker_threads';
import { ClientCredentialsSession, receiveSession, SessionError, shareSession } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.js';

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = await startScriptedProvider();
});
afterEach(() => provider.close());

function createSession() {
  const clock = createManualClock();
  const options = { issuer: provider.issuer, clientId: 'a', clientSecret: 'b', clock };
  return { clock, session: new ClientCredentialsSession(options) };
}

test('all receivers of a shared session use the same token, and one refresh renews it for all', async () => {
  const { clock, session } = createSession();
  const shared = Array.from({ length: 4 }, () => receiveSession(shareSession(session)));
  const askAll = () =>
    Promise.all([session, ...shared].flatMap((one) => Array.from({ length: 25 }, () => one.token())));
  expect(new Set(await askAll())).toEqual(new Set(['t1']));
  clock.advance(280_000);
  expect(new Set(await askAll())).toEqual(new Set(['t2']));
  const rejected = await Promise.all(shared.map((one) => one.token({ rejected: 't2' })));
  expect(rejected).toEqual(['t3', 't3', 't3', 't3']);
});

test('a receiver of a shared session gets errors with the original code and reason', async () => {
  const { session } = createSession();
  provider.script({ status: 400, body: { error: 'invalid_client' } });
  const failure = receiveSession(shareSession(session)).token();
  await expect(failure).rejects.toMatchObject({ code: 'provider_rejected', reason: 'invalid_client' });
  await expect(failure).rejects.toBeInstanceOf(SessionError);
});

test('a shared session fails with session_closed after the port of its owner is closed', async () => {
  const { port1, port2 } = new MessageChannel();
  const session = receiveSession(port2);
  const waiting = session.token();
  port1.close();
  await expect(waiting).rejects.toMatchObject({ code: 'session_closed' });
  await expect(session.token()).rejects.toMatchObject({ code: 'session_closed' });
});

test('a receiver of a shared session can abort its call', async () => {
  const { port1, port2 } = new MessageChannel();
  const controller = new AbortController();
  const waiting = receiveSession(port2).token({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  port1.close();
});
