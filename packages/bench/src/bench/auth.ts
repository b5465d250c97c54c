import { measureRequests, type RequestsResult } from '../measure/requests.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { makeKeys, postJson, timeVerify } from '../test-bed/engine-keys.js';
import { type Apis, startApis } from '../test-bed/start-apis.js';
import type { Bench } from '../test-bed/test-bed.js';

export interface AuthResult {
  /** GET of a workspace's twenty webhooks with an access token. */
  listWebhooks: RequestsResult;
  /** `/auth/verify` with a user key that is in the validator's cache. */
  verifyCachedKey: RequestsResult;
  verifyToken: RequestsResult;
  /** The first check of a key: one read and one bcrypt of nine rounds, in milliseconds. */
  firstCheckMs: Percentiles;
}

export interface AuthOptions {
  requests: number;
  /** User keys made to measure first checks. */
  keys: number;
}

const webhooks = 20;
const concurrency = 16;

export async function measureAuth(bench: Bench, options: AuthOptions): Promise<AuthResult> {
  const apis = await startApis(bench.stack, bench.secretsKeys);
  try {
    const { requests } = options;
    const token = await apis.accessToken();
    const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
    await makeWebhooks(apis, token);
    const keys = await makeKeys(apis, options.keys);
    const firstChecks: number[] = [];
    for (const key of keys) firstChecks.push(await timeVerify(apis, key));
    const repeat = (origin: string, path: string, credential: string, expectStatus: number) =>
      measureRequests({
        origin,
        paths: [path],
        headers: bearer(credential),
        requests,
        concurrency,
        expectStatus,
      });
    const path = `/api/v1/workspaces/${apis.workspaceId}/webhooks`;
    const result = {
      listWebhooks: await repeat(apis.apiUrl, path, token, 200),
      verifyCachedKey: await repeat(apis.engineUrl, '/auth/verify', keys[0]!, 204),
      verifyToken: await repeat(apis.engineUrl, '/auth/verify', token, 204),
      firstCheckMs: percentilesOf(firstChecks),
    };
    bench.say(
      `  webhooks ${Math.round(result.listWebhooks.perSecond)}/s, verify ${Math.round(result.verifyCachedKey.perSecond)}/s, first check ${result.firstCheckMs.p50.toFixed(1)} ms`,
    );
    return result;
  } finally {
    await apis.stop();
  }
}

async function makeWebhooks({ apiUrl, workspaceId }: Apis, token: string): Promise<void> {
  for (let index = 0; index < webhooks; index += 1) {
    await postJson(`${apiUrl}/api/v1/workspaces/${workspaceId}/webhooks`, token, {
      name: `bench ${index}`,
      url: `http://127.0.0.1:9/${index}`,
      headers: { 'Content-Type': ['application/json'] },
      body: '{"alert":"{{ alert_id }}"}',
    });
  }
}
