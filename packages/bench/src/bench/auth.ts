import { measureRequests, type RequestsResult } from '../measure/requests.js';
import { formatMs, type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Apis, createUserKeys, postJson, startApis, timeVerify } from '../test-bed/apis.js';
import type { TestBed } from '../test-bed/test-bed.js';

export interface AuthResult {
  /** Requests that list the twenty webhooks of a workspace with an access token. */
  listWebhooks: RequestsResult;
  /**
   * Requests to `/auth/verify` with a user key (an engine key other than the admin key). The engine has the result of
   * an earlier check of the key in its cache.
   */
  verifyCachedKey: RequestsResult;
  verifyToken: RequestsResult;
  /**
   * Duration of the first check of a key, in milliseconds. It includes one database read and one bcrypt comparison of
   * cost 9.
   */
  firstCheckMs: Percentiles;
}

export interface AuthOptions {
  requests: number;
  /** Number of user keys whose first check is measured. */
  keys: number;
}

const webhooks = 20;
const concurrency = 16;

export async function measureAuth(testBed: TestBed, options: AuthOptions): Promise<AuthResult> {
  const apis = await startApis(testBed);
  try {
    const { requests } = options;
    const token = await apis.accessToken();
    await createWebhooks(apis, token);
    const keys = await createUserKeys(apis, options.keys);
    const firstChecks: number[] = [];
    for (const key of keys) firstChecks.push(await timeVerify(apis, key));
    const common = { requests, concurrency };
    const verify = (credential: string) =>
      measureRequests({
        ...common,
        origin: apis.engineUrl,
        paths: ['/auth/verify'],
        headers: bearer(credential),
        expectStatus: 204,
      });
    const result = {
      listWebhooks: await measureRequests({
        ...common,
        origin: apis.apiUrl,
        paths: [`/api/v1/workspaces/${apis.workspaceId}/webhooks`],
        headers: bearer(token),
        expectStatus: 200,
      }),
      verifyCachedKey: await verify(keys[0]!),
      verifyToken: await verify(token),
      firstCheckMs: percentilesOf(firstChecks),
    };
    testBed.print(
      `  webhooks ${Math.round(result.listWebhooks.perSecond)}/s, verify ${Math.round(result.verifyCachedKey.perSecond)}/s, first check ${formatMs(result.firstCheckMs.p50)}`,
    );
    return result;
  } finally {
    await apis.stop();
  }
}

function bearer(credential: string): { authorization: string } {
  return { authorization: `Bearer ${credential}` };
}

async function createWebhooks({ apiUrl, workspaceId }: Apis, token: string): Promise<void> {
  for (let index = 0; index < webhooks; index += 1) {
    await postJson(`${apiUrl}/api/v1/workspaces/${workspaceId}/webhooks`, token, {
      name: `bench ${index}`,
      url: `http://127.0.0.1:9/${index}`,
      headers: { 'Content-Type': ['application/json'] },
      body: '{"alert":"{{ alert_id }}"}',
    });
  }
}
