/** Hands out access tokens. All that the API client needs of a session. */
export interface Session {
  /** Resolves with a token that is good now. @throws SessionError */
  token(request?: TokenRequest): Promise<string>;
}

export interface TokenRequest {
  /** A token that was answered with 401: another one is wanted, though this one looked good. */
  rejected?: string | undefined;
  /** Ends this caller's waiting; a refresh that others wait for goes on. */
  signal?: AbortSignal | undefined;
}
