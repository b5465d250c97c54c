/** Texts of an attempt. The response and its headers are stored without secrets. */
export interface Exchange {
  requestBody: string;
  /** Empty if there was no response. */
  responseBody: string;
  /** Header `Location` of the response. */
  location?: string | undefined;
  /** Header `Retry-After` of the response. */
  retryAfter?: string | undefined;
}

type FirstLine = [requestBodyLength: number, location: string | null, retryAfter: string | null];

/**
 * Joins the texts of an attempt into one text, which is stored as one encrypted value. One encryption takes about 4 µs
 * for any length. The first line is JSON, and the bodies follow unchanged, because JSON would make a body of control
 * characters six times as long.
 */
export function encodeExchange({ requestBody, responseBody, location, retryAfter }: Exchange): string {
  const firstLine: FirstLine = [requestBody.length, location ?? null, retryAfter ?? null];
  return `${JSON.stringify(firstLine)}\n${requestBody}${responseBody}`;
}

/** Splits a text that `encodeExchange` has created. */
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
