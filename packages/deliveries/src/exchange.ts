/** Texts of an attempt. The response and its headers are redacted. */
export interface Exchange {
  requestBody: string;
  /** Empty without a response. */
  responseBody: string;
  /** Header `Location` of the response. */
  location?: string | undefined;
  /** Header `Retry-After` of the response. */
  retryAfter?: string | undefined;
}

type FirstLine = [requestBodyLength: number, location: string | null, retryAfter: string | null];

/**
 * Joins the texts of an attempt to one, which is stored as one encrypted value: an encryption costs about 4 µs, whatever
 * the length. The bodies follow a line of JSON unchanged; inside JSON a body of control characters would be six times as
 * long.
 */
export function encodeExchange({ requestBody, responseBody, location, retryAfter }: Exchange): string {
  const firstLine: FirstLine = [requestBody.length, location ?? null, retryAfter ?? null];
  return `${JSON.stringify(firstLine)}\n${requestBody}${responseBody}`;
}

/** Splits a text that `encodeExchange` made. */
export function decodeExchange(text: string): Exchange {
  const bodiesAt = text.indexOf('\n') + 1;
  const [requestBodyLength, location, retryAfter]: FirstLine = JSON.parse(text.slice(0, bodiesAt));
  const responseAt = bodiesAt + requestBodyLength;
  return {
    requestBody: text.slice(bodiesAt, responseAt),
    responseBody: text.slice(responseAt),
    location: location ?? undefined,
    retryAfter: retryAfter ?? undefined,
  };
}
