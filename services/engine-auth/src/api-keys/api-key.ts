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

/** The port of key management. */
export interface ApiKeyStore {
  /** Gives false, and stores nothing, when `maxActive` keys are active already, also under concurrent calls. */
  insert(key: ApiKey, hash: string, maxActive: number): Promise<boolean>;
  /** Newest first. */
  list(): Promise<ApiKey[]>;
  find(id: string): Promise<ApiKey | undefined>;
  /** Gives false where there is no such key. A key that is inactive already stays as it is. */
  deactivate(id: string, at: Date): Promise<boolean>;
}
