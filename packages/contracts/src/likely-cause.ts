/**
 * Returns the usual cause of a response status of a destination as a sentence, or null if the status has no usual
 * cause. The product specification prescribes the sentences for 400, 401, 403 and 404.
 */
export function likelyCauseOf(statusCode: number | null): string | null {
  if (statusCode === null) return null;
  return statusCode >= 300 && statusCode <= 399 ? redirect : (likelyCauses[statusCode] ?? null);
}

const redirect =
  'The destination redirects, and redirects are not followed. Set the url of the webhook to the address that it redirects to.';

const likelyCauses: Readonly<Record<number, string>> = {
  400: 'Rendered body is not valid JSON, for example a quoted numeric variable.',
  401: 'Authorization header missing or wrong.',
  403: 'Destination account lacks permission (for an issue tracker: permission to create issues in the project).',
  404: 'Wrong URL, or the destination URL has been revoked.',
  415: 'Content-Type header missing or wrong. Add the header Content-Type to the webhook, usually with the value application/json.',
  429: 'The destination limits the rate of requests. Send it fewer alerts, or ask its owner for a higher limit.',
};
