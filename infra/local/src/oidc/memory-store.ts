import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

interface Entry {
  payload: AdapterPayload;
  expiresAtMs: number;
}

/**
 * Creates an in-memory store for sessions, codes and refresh tokens. Each key rotation replaces the provider object.
 * The store is a separate object, so that its content survives a key rotation.
 */
export function createMemoryStore(): AdapterFactory {
  const entries = new Map<string, Entry>();

  const read = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs > Date.now()) return entry.payload;
    entries.delete(key);
    return undefined;
  };

  const findWhere = (
    model: string,
    matches: (payload: AdapterPayload) => boolean,
  ): AdapterPayload | undefined => {
    const key = [...entries.keys()].find((key) => {
      const payload = key.startsWith(`${model}:`) ? read(key) : undefined;
      return payload !== undefined && matches(payload);
    });
    return key === undefined ? undefined : read(key);
  };

  const removeExpired = () => {
    for (const key of entries.keys()) read(key);
  };

  return (model: string): Adapter => {
    const keyOf = (id: string) => `${model}:${id}`;
    return {
      async upsert(id, payload, expiresIn) {
        removeExpired();
        const expiresAtMs =
          expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000;
        entries.set(keyOf(id), { payload, expiresAtMs });
      },
      find: async (id) => read(keyOf(id)),
      findByUid: async (uid) => findWhere(model, (payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findWhere(model, (payload) => payload.userCode === userCode),
      async consume(id) {
        const payload = read(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  };
}
