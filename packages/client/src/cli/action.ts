import type { Command } from 'commander';
import type { EngineClient } from '../api/engine-client.js';
import type { PlatformClient } from '../api/platform-api.js';
import { connectEngine, connectPlatform, requireWorkspace } from './connect.js';
import type { Io } from './io.js';
import { createOutput, type Output } from './output.js';
import { choice } from './parse-values.js';
import { type ConnectionFlags, type ResolvedSettings, resolveSettings } from './settings.js';

interface OutputFlags {
  json?: boolean;
  color?: boolean;
}

/** Arguments, options and output of a running command. */
export interface Context<Options> {
  args: string[];
  options: Options;
  io: Io;
  out: Output;
  /** Signal that is aborted when the user presses Ctrl-C, or when the process gets SIGTERM. */
  signal: AbortSignal;
}

export interface ConnectedContext<Options> extends Context<Options> {
  settings: ResolvedSettings;
}

export interface PlatformContext<Options> extends ConnectedContext<Options> {
  platform: PlatformClient;
}

export interface EngineContext<Options> extends ConnectedContext<Options> {
  engine: EngineClient;
}

/** Adds the output flags and runs `work` as the command's action. */
export function runs<Options = object>(
  command: Command,
  io: Io,
  work: (context: Context<Options>) => Promise<void>,
): Command {
  return command
    .option('--json', 'print JSON')
    .option('--no-color', 'print no colours; default in a pipe and with NO_COLOR')
    .action(async (...parameters: unknown[]) => {
      const run = parameters.at(-1) as Command;
      const { json = false, color = true } = run.opts<OutputFlags>();
      const out = createOutput(io, { json, color });
      await work({ args: run.args, options: run.opts() as Options, io, out, signal: io.signal });
    });
}

/**
 * Adds the connection flags and runs `work` as the command's action, with the settings that `resolveSettings` returns
 * for these flags.
 */
export function runsConnected<Options = object>(
  command: Command,
  io: Io,
  work: (context: ConnectedContext<Options>) => Promise<void>,
): Command {
  const run = runs<Options & ConnectionFlags>(command, io, async (context) => {
    await work({ ...context, settings: await resolveSettings(context.options, io.env) });
  });
  return run
    .optionsGroup('Addresses and credentials:')
    .option('--api-url <url>', 'URL of the platform API (TOCSIN_API_URL)')
    .option('--engine-url <url>', 'URL of the engine (TOCSIN_ENGINE_URL)')
    .option('--issuer <url>', 'URL of the realm of the identity provider (TOCSIN_ISSUER)')
    .option('--client-id <id>', 'OAuth client (TOCSIN_CLIENT_ID; its secret is TOCSIN_CLIENT_SECRET)')
    .option('-w, --workspace <id>', 'id of the workspace (TOCSIN_WORKSPACE)')
    .option('--stack <file>', 'read all of these from the file that npm start writes (TOCSIN_STACK)')
    .addOption(
      choice('--as <role>', {
        of: stackRoles,
        description: 'service account of the --stack file; default: admin',
      }),
    )
    .option('--allow-http', 'allow plain http to other hosts; the network can then read credentials');
}

const stackRoles = ['admin', 'editor', 'responder', 'reader', 'publisher', 'outsider'];

/** Runs `work` as the command's action, with a client of the platform API. */
export function runsOnPlatform<Options = object>(
  command: Command,
  io: Io,
  work: (context: PlatformContext<Options>) => Promise<void>,
): Command {
  return runsConnected<Options>(command, io, (context) => {
    const platform = connectPlatform(context.settings, io.clock);
    return work({ ...context, platform });
  });
}

/**
 * Runs `work` as the command's action in a workspace. If no workspace is set, the command fails before its first
 * request.
 */
export function runsInWorkspace<Options = object>(
  command: Command,
  io: Io,
  work: (context: PlatformContext<Options>) => Promise<void>,
): Command {
  return runsOnPlatform<Options>(command, io, async (context) => {
    requireWorkspace(context.settings);
    await work(context);
  });
}

/** Runs `work` as the command's action, with a client of the engine's API. */
export function runsOnEngine<Options = object>(
  command: Command,
  io: Io,
  work: (context: EngineContext<Options>) => Promise<void>,
): Command {
  return runsConnected<Options>(command, io, (context) =>
    work({ ...context, engine: connectEngine(context.settings, io.clock) }),
  );
}

/** Adds examples below the help of a command. */
export function withExamples(command: Command, examples: string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`,
  );
}
