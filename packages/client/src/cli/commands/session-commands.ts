import type { Command } from 'commander';
import { runsConnected, runsOnPlatform, withExamples } from '../action.js';
import { deviceSession } from '../connect.js';
import type { Io } from '../io.js';
import { deleteEndedLogin, readLogin } from '../login-file.js';

export function addSessionCommands(program: Command, io: Io): void {
  const login = program
    .command('login')
    .description('sign in with a browser; the login is stored in a file that only you can read');
  runsConnected(login, io, async ({ settings, out, signal }) => {
    const session = deviceSession(settings, io.clock);
    await session.login({
      signal,
      show({ userCode, verificationUri, verificationUriComplete, expiresInSeconds }) {
        const minutes = Math.round(expiresInSeconds / 60);
        out.note(
          `Open ${verificationUriComplete ?? verificationUri}\nand check that it shows the code ${userCode}`,
        );
        out.progress(`Waiting for the sign-in (${minutes} min at most; Ctrl-C to give up)…`);
      },
    });
    out.progress(undefined);
    out.value({ issuer: settings.issuer, file: settings.loginFile }, () =>
      out.line(`Logged in. The login is kept in ${settings.loginFile}.`),
    );
  });
  withExamples(login, [
    'tocsin login --issuer https://login.example.com/realms/tocsin --api-url https://tocsin.example.com --workspace UUID',
    'tocsin login --stack .tocsin/stack.json',
  ]);

  const logout = program
    .command('logout')
    .description('delete the stored login and revoke it at the provider');
  runsConnected(logout, io, async ({ settings, out }) => {
    // The login may come from another provider or client than the settings name. It is the only one in the file.
    const login = await readLogin(settings.loginFile);
    if (login === undefined)
      return out.value({ issuer: null }, () => out.line(`No login is stored in ${settings.loginFile}.`));
    const { issuer, clientId } = login;
    try {
      await deviceSession({ ...settings, issuer, deviceClientId: clientId }, io.clock).logout();
    } finally {
      await deleteEndedLogin(settings.loginFile);
    }
    out.value({ issuer }, () => out.line(`Logged out of ${issuer}.`));
  });

  const whoami = program.command('whoami').description('show the principal of your credential and its roles');
  runsOnPlatform(whoami, io, async ({ platform, out, signal }) => {
    const me = await platform.whoami({ signal });
    out.value(me, () => {
      const workspaces = Object.entries(me.workspaces).map(([id, roles]) => `${id}: ${roles.join(', ')}`);
      out.facts({
        name: me.display,
        subject: me.subject,
        issuer: me.issuer,
        deployment: me.deployment_roles.join(', ') || 'no roles',
        workspaces: workspaces.join('\n') || 'none',
      });
    });
  });
}
