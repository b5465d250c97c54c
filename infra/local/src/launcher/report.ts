import type { SampleOutcome } from './sample.js';
import { quickStartEgress } from './services.js';
import type { StackFile } from './stack-file.js';

/** Describes the sample alert: the body that arrived and the record of the delivery. */
export function describeSample(
  { alertId, arrivedBody, record }: SampleOutcome,
  { inbox_url }: StackFile,
): string {
  return [
    '',
    `Alert ${alertId} was fired. Its body, as it arrived at ${inbox_url}/sample:`,
    indent(arrivedBody),
    'and the delivery’s record:',
    indent(JSON.stringify(record, null, 2)),
    '',
  ].join('\n');
}

export interface ReadyFacts {
  facts: StackFile;
  env: NodeJS.ProcessEnv;
  stackFile: string;
  seconds: number;
}

/**
 * Returns the text that is printed when the stack is ready: its addresses, and the password of one user of the
 * development provider. The text contains no other secrets, but names the file with the other credentials.
 */
export function describeReady({ facts, env, stackFile, seconds }: ReadyFacts): string {
  const rows: [string, string][] = [
    ['console', `${facts.api_url}/${signInHint(facts.users)}`],
    ['API', `${facts.api_url}/api/v1   (reference: ${facts.api_url}/docs)`],
    ['engine', facts.engine_url],
    ['sign-in', facts.realm === '' ? facts.auth_url : `${facts.auth_url}/realms/${facts.realm}`],
    ['inbox', `${facts.inbox_url}   (shows what it receives)`],
    ['workspace', facts.workspace_id],
    ['the rest', `${stackFile}   (clients, users, keys, database, broker, process ids)`],
  ];
  const allowed = env.EGRESS_ALLOW ?? quickStartEgress;
  return [
    `Ready after ${seconds.toFixed(1)} s.`,
    ...rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`),
    '',
    `Deliveries to ${allowed} are allowed here, so that the inbox can be reached; otherwise they are blocked.`,
    'Ctrl-C stops everything.',
  ].join('\n');
}

/**
 * Returns a hint with the password of the user `admin`, who has all permissions that the console uses. The hint is
 * empty with an external provider, because its users are unknown.
 */
function signInHint({ admin }: StackFile['users']): string {
  return admin === undefined ? '' : `   (sign in as admin with the password ${admin})`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
