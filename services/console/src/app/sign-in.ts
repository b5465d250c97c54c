import type { Session } from '@tocsin/client/browser';
import { ErrorResponse, InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { createSession } from './session.js';

export type SignIn =
  | { kind: 'signed-in'; session: Session; signOut(): void }
  | { kind: 'signed-out'; problem: string | undefined; signIn(): void };

const callbackPath = '/console/callback';

/**
 * Errors with which the provider responds to `prompt=none` if the sign-in needs an action of the user (OpenID Connect
 * Core, 3.1.2.6).
 */
const interactionErrors = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

interface ConsoleConfig {
  issuer: string;
  client_id: string;
}

/**
 * Signs in with the authorization code flow and PKCE. Tokens are kept in memory only, so each page load redirects to
 * the provider with `prompt=none`, which needs no interaction while the user has a session there. During the redirect,
 * the session storage contains the code verifier and the address to return to.
 *
 * The promise does not settle if the browser leaves the page.
 */
export async function startSignIn(location: Location): Promise<SignIn> {
  const manager = await createManager(location.origin);
  if (location.pathname !== callbackPath) {
    await manager.signinRedirect({ prompt: 'none', state: pathOf(location) }).catch((error: Error) => {
      throw new Error(
        `The sign-in service ${manager.settings.authority} cannot be reached: ${error.message}`,
      );
    });
    return new Promise(() => undefined);
  }
  try {
    const user = await manager.signinRedirectCallback(location.href);
    returnTo(user.state);
    return {
      kind: 'signed-in',
      session: createSession({
        manager,
        redirect: () => manager.signinRedirect({ prompt: 'none', state: pathOf(window.location) }),
      }),
      signOut: () => void manager.signoutRedirect(),
    };
  } catch (error) {
    const response = error instanceof ErrorResponse ? error : undefined;
    returnTo(response?.state);
    return {
      kind: 'signed-out',
      problem: interactionErrors.has(response?.error ?? '') ? undefined : problemOf(error),
      signIn: () => void manager.signinRedirect({ state: pathOf(location) }),
    };
  }
}

async function createManager(origin: string): Promise<UserManager> {
  const { issuer, client_id } = await readConfig();
  return new UserManager({
    authority: issuer,
    client_id,
    redirect_uri: `${origin}${callbackPath}`,
    post_logout_redirect_uri: `${origin}/`,
    scope: 'openid profile',
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    automaticSilentRenew: false,
  });
}

async function readConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/console/config.json').catch((error: Error) => {
    throw new Error(`Tocsin cannot be reached: ${error.message}`);
  });
  if (!response.ok) throw new Error(`The settings of the console could not be loaded (${response.status}).`);
  return (await response.json()) as ConsoleConfig;
}

function pathOf({ pathname, search }: Location): string {
  return `${pathname === callbackPath ? '/' : pathname}${search}`;
}

/**
 * Restores the address that the page had before the redirect. Any text other than a path is replaced by `/`, to prevent
 * an open redirect.
 */
function returnTo(path: unknown): void {
  const isPath = typeof path === 'string' && /^\/(?![/\\])/.test(path);
  window.history.replaceState(null, '', isPath ? path : '/');
}

function problemOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The sign-in did not succeed: ${reason}`;
}
