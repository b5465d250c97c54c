import type { Command } from 'commander';
import type { Context } from './action.js';
import { orNull } from './parse-values.js';
import { readFieldsFrom } from './read-input.js';

/**
 * Command line flags for the fields that both webhooks and alert rules have. The commands declare `--enable` and
 * `--disable` themselves, because these have different descriptions.
 */
export interface CommonFlags {
  from?: string;
  name?: string;
  externalId?: string | false;
  enable?: boolean;
  disable?: boolean;
}

export function withCommonFlags(command: Command): Command {
  return command
    .option('--from <file>', 'a JSON object with the fields, which flags replace; "-" is standard input')
    .option('--name <text>', 'display name')
    .option('--external-id <id>', 'an id of your choice')
    .option('--no-external-id', 'no external id');
}

/**
 * Reads fields from the file of the option `--from` and from the other common flags. `writable` names all fields that
 * callers can write.
 */
export async function readCommonFields(
  { options, io }: Pick<Context<CommonFlags>, 'options' | 'io'>,
  writable: readonly string[],
): Promise<{ name?: string; external_id?: string | null; enabled?: boolean }> {
  const { from, name, externalId, enable, disable } = options;
  return {
    ...(from !== undefined && (await readFieldsFrom(from, { io, writable }))),
    ...(name !== undefined && { name }),
    ...(externalId !== undefined && { external_id: orNull(externalId) }),
    ...((enable || disable) && { enabled: enable === true }),
  };
}
