/** Source of access tokens for the API client. */
export interface Session {
  /** Resolves with a valid token. @throws SessionError */
  token(request?: TokenRequest): Promise<string>;
}

export interface TokenRequest {
  /** Token that the API answered with 401. The session must provide another one. */
  rejected?: string | undefined;
  /** Aborts this call. A refresh shared with other callers continues. */
  signal?: AbortSignal | undefined;
}
