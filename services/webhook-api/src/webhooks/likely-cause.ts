/** The spec's table of what a destination's answer usually means. */
const causes: Readonly<Record<number, string>> = {
  400: 'Rendered body is not valid JSON, for example a quoted numeric variable.',
  401: 'Authorization header missing or wrong.',
  403: 'Destination account lacks permission (for an issue tracker: permission to create issues in the project).',
  404: 'Wrong URL, or the destination URL has been revoked.',
};

export function likelyCause(statusCode: number): string | null {
  return causes[statusCode] ?? null;
}
