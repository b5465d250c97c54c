/** A user-generated engine key as it is stored, without its hash. */
export interface ApiKey {
  id: string;
  description: string;
  isActive: boolean;
  createdAt: Date;
  /** `admin-key`, or issuer and subject of the token. */
  createdBy: string;
  deactivatedAt: Date | null;
}

/** What a key's secret is judged by. */
export interface StoredSecret {
  hash: string;
  /** Null where an earlier version made the key, and it was not used since. */
  tag: number | null;
}

/** The port of key management. */
export interface ApiKeyStore {
  /** Gives false, and stores nothing, when `maxActive` keys are active already, also under concurrent calls. */
  insert(key: ApiKey, secret: StoredSecret, maxActive: number): Promise<boolean>;
  /** Newest first. */
  list(): Promise<ApiKey[]>;
  find(id: string): Promise<ApiKey | undefined>;
  /** Gives false where there is no such key. A key that is inactive already stays as it is. */
  deactivate(id: string, at: Date): Promise<boolean>;
}
