import type { DeliveryErrorCode } from '@tocsin/contracts';

/** The error codes of the contract that sending can end with. */
export type SendErrorCode = Extract<
  DeliveryErrorCode,
  | 'timeout'
  | 'connect_timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_failure'
  | 'tls_failure'
  | 'blocked_address'
  | 'invalid_response'
  | 'internal_error'
>;

/** Why the body that is kept may differ from the one that was meant, the size limit apart. */
export type BodyNote =
  /** The connection ended before the body did. */
  | 'cut'
  /** The time for the whole exchange ran out within the body. */
  | 'slow'
  /** The body broke the rules of HTTP. */
  | 'broken'
  /** With what is no body (chunk extensions, say) the destination sent more than a response may have. */
  | 'overlong'
  /** The body has a content coding that was not asked for (gzip, say) and is kept as it came. */
  | 'encoded';

/** An HTTP response came: its status line decides, whatever happened to the body after it. */
export interface HttpResponse {
  kind: 'response';
  statusCode: number;
  /** The body as text: bytes that are no text, and NUL, are U+FFFD. Never longer than the limit in UTF-8. */
  body: string;
  /** The body was longer than what is kept, or ended early. */
  truncated: boolean;
  bodyNote?: BodyNote | undefined;
  /** From the `Retry-After` header, whole seconds from now, not negative. */
  retryAfterSeconds?: number | undefined;
  durationMs: number;
}

/** No HTTP response came. `error` is a sentence for people; it holds no path, query, header or address. */
export interface SendError {
  kind: 'error';
  code: SendErrorCode;
  error: string;
  durationMs: number;
}

export type SendResult = HttpResponse | SendError;
