import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAlertCommands } from './commands/alert-commands.js';
import { addAuditCommands } from './commands/audit-commands.js';
import { addCompletionCommands } from './commands/completion-commands.js';
import { addDeadLetterCommands } from './commands/dead-letter-commands.js';
import { addDeliveryCommands } from './commands/delivery-commands.js';
import { addJobCommands } from './commands/job-commands.js';
import { addKeyCommands } from './commands/key-commands.js';
import { addRenderCommand } from './commands/render-command.js';
import { addRuleCommands } from './commands/rule-commands.js';
import { addSessionCommands } from './commands/session-commands.js';
import { addSettingsCommands } from './commands/settings-commands.js';
import { addWebhookCommands } from './commands/webhook-commands.js';
import { addWorkspaceFileCommands } from './commands/workspace-file-commands.js';
import { exitCodesHelp } from './exit-codes.js';
import type { Io } from './io.js';
import { printableLines } from './text.js';

const footer = `
Flags or environment variables set addresses and credentials: TOCSIN_API_URL, TOCSIN_ENGINE_URL, TOCSIN_ISSUER,
TOCSIN_WORKSPACE, and TOCSIN_CLIENT_ID with TOCSIN_CLIENT_SECRET for a service account, or TOCSIN_TOKEN.
SERVICE_API_KEY is the API key of the engine, TOCSIN_AMQP_URL the URL of the broker for \`alerts fire --amqp\`.
Secrets can only be set in the environment. \`tocsin login\` stores the login and the addresses for later commands.

Examples:
  $ tocsin login --issuer https://login.example.com/realms/tocsin --api-url https://tocsin.example.com --workspace UUID
  $ tocsin webhooks list
  $ tocsin render body.j2 --context alert.json
  $ tocsin deliveries tail
  $ tocsin webhooks list --stack .tocsin/stack.json     (with the local stack of npm start)

${exitCodesHelp}`;

export function createProgram(io: Io): Command {
  const program = new Command('tocsin')
    .description('Manage webhooks and alert rules, publish alerts, and inspect deliveries.')
    .version(readVersion())
    .showSuggestionAfterError()
    .showHelpAfterError('(--help lists commands and options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(printableLines(text)),
      writeErr: (text) => void io.stderr.write(printableLines(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .addHelpText('after', footer);
  const group = (name: string, description: string) => program.command(name).description(description);
  addSessionCommands(program, io);
  addWebhookCommands(group('webhooks', 'destinations: url, headers and a body template'), io);
  addRenderCommand(program, io);
  addRuleCommands(group('rules', 'alert rules, which define the webhooks that an alert is delivered to'), io);
  addAlertCommands(group('alerts', 'publish, list and dispatch alerts'), io);
  addDeliveryCommands(group('deliveries', 'list, show, redeliver and cancel deliveries'), io);
  addJobCommands(
    group('jobs', 'jobs that redeliver, dispatch or cancel everything that matches a filter'),
    io,
  );
  addDeadLetterCommands(group('dead-letters', 'messages that could not be processed'), io);
  addSettingsCommands(group('settings', 'settings of the workspace'), io);
  addAuditCommands(group('audit', 'the audit log: who changed which resource and when'), io);
  addWorkspaceFileCommands(program, io);
  addKeyCommands(group('keys', 'API keys of the engine; SERVICE_API_KEY can be the admin key'), io);
  addCompletionCommands(program, io);
  return program;
}

/** Reads the version from package.json, which is two levels above each of src/cli, dist/cli and dist/bundle. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
