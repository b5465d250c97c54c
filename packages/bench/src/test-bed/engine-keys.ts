import type { Apis } from './start-apis.js';

/** User keys of the engine, as their holders have them. */
export async function makeKeys({ engineUrl, engineAdminKey }: Apis, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const made = await postJson(`${engineUrl}/auth/api_keys/`, engineAdminKey, {
      description: `bench ${index}`,
    });
    keys.push((made as { key: string }).key);
  }
  return keys;
}

/** @throws Error where anything but 201 is answered */
export async function postJson(url: string, credential: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** How long the engine took to say that a key is good, in milliseconds; throws where it said anything else. */
export async function timeVerify({ engineUrl }: Apis, key: string): Promise<number> {
  const startedAtMs = performance.now();
  const response = await fetch(`${engineUrl}/auth/verify`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 204) throw new Error(`/auth/verify answered ${response.status}`);
  return performance.now() - startedAtMs;
}
