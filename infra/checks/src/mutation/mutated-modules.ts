import { readdirSync } from 'node:fs';
import { parse } from 'node:path';

/** Files that are mutated and tested together, with the unit tests next to them. */
export interface MutatedModule {
  name: string;
  /** Folder of the package or service. */
  workspace: string;
  /** Paths below `src` without extension. A file without its own test is tested by the tests of the other files. */
  files: string[];
}

const worker = 'services/delivery-worker';
const api = 'services/webhook-api';

/**
 * Modules whose unit tests must detect mutations. Most of these modules decide which alerts are delivered, when they
 * are delivered, and what a caller may do.
 */
export const mutatedModules: MutatedModule[] = [
  { name: 'retry', workspace: worker, files: ['delivery/classify'] },
  { name: 'circuit', workspace: worker, files: ['delivery/circuit'] },
  { name: 'prepare', workspace: worker, files: ['delivery/prepare', 'delivery/claimed-delivery'] },
  { name: 'deliver', workspace: worker, files: ['delivery/deliver'] },
  { name: 'claim', workspace: worker, files: ['delivery/claim', 'delivery/claim-repository'] },
  {
    name: 'record',
    workspace: worker,
    files: ['delivery/record', 'delivery/record-repository', 'delivery/record-content'],
  },
  { name: 'webhooks-reader', workspace: worker, files: ['delivery/webhooks-reader'] },
  { name: 'plan', workspace: worker, files: ['fan-out/plan'] },
  { name: 'admission', workspace: worker, files: ['fan-out/admission-control', 'fan-out/parse-message'] },
  {
    name: 'slots',
    workspace: worker,
    files: ['slots/slots', 'slots/slot-limits', 'slots/slot-usage'],
  },
  {
    name: 'dispatch',
    workspace: worker,
    files: ['dispatch/window', 'dispatch/due-scan', 'dispatch/round-robin'],
  },
  { name: 'dispatcher', workspace: worker, files: ['dispatch/dispatcher'] },
  { name: 'fan-out', workspace: worker, files: ['fan-out/write-alerts'] },
  { name: 'api', workspace: api, files: ['lists/paging', 'lists/search-query', 'rate-limits'] },
  { name: 'api-checks', workspace: api, files: ['alerts/rule-check', 'webhooks/webhook-options'] },
  { name: 'history', workspace: 'packages/deliveries', files: ['history-reader'] },
  {
    name: 'kit',
    workspace: 'packages/kit',
    files: ['http/etag', 'concurrency/rate-limiter', 'concurrency/backoff'],
  },
  {
    name: 'engine',
    workspace: 'services/engine-auth',
    files: ['api-keys/raw-key', 'verify/key-validator', 'verify/authenticate'],
  },
  {
    name: 'permissions',
    workspace: 'packages/identity',
    files: ['permissions', 'principal', 'roles-from-claims'],
  },
  { name: 'tokens', workspace: 'packages/identity', files: ['token-verifier', 'token-cache'] },
  { name: 'egress', workspace: 'packages/egress', files: ['address-rules', 'send-result', 'sign-request'] },
  { name: 'json', workspace: 'packages/template', files: ['json/escape', 'json/captured-text'] },
  { name: 'json-scan', workspace: 'packages/template', files: ['check/json-scanner'] },
  { name: 'body-check', workspace: 'packages/template', files: ['check/check-body'] },
  {
    name: 'apply',
    workspace: 'packages/client',
    files: ['cli/workspace-file/plan', 'cli/workspace-file/match-entries'],
  },
  { name: 'cells', workspace: 'packages/client', files: ['publish/cell-publisher'] },
];

export function sourcesOf({ workspace, files }: MutatedModule): string[] {
  return files.map((file) => `${workspace}/src/${file}.ts`);
}

/** Returns the paths of the unit tests next to the files (`name.test.ts` and `name-….test.ts`) from the repository. */
export function testFilesOf({ workspace, files }: MutatedModule): string[] {
  const found = files.flatMap((file) => {
    const { dir, base } = parse(`${workspace}/src/${file}`);
    const names = readdirSync(dir).filter(
      (name) => name.startsWith(base) && /^(-.*)?\.test\.ts$/.test(name.slice(base.length)),
    );
    return names.map((name) => `${dir}/${name}`);
  });
  return [...new Set(found)];
}
