/** Source of access tokens for the API client. */
export interface Session {
  /** Resolves with a valid token. @throws SessionError */
  token(request?: TokenRequest): Promise<string>;
}

export interface TokenRequest {
  /** Token that the API has rejected with 401. The session must return another one. */
  rejected?: string | undefined;
  /** Signal that aborts this call. If other callers wait for the same token request, the request continues. */
  signal?: AbortSignal | undefined;
}
