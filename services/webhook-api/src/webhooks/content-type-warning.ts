/**
 * Returns a warning if the configured headers do not declare the content type JSON in UTF-8, which every body has.
 * Tocsin itself adds no Content-Type.
 */
export function contentTypeWarning(headers: Readonly<Record<string, readonly string[]>>): string | undefined {
  const values = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .flatMap(([, given]) => given);
  const [value, ...others] = values;
  if (value === undefined) {
    return `Content-Type is missing, and none is added. Most destinations reject JSON without "Content-Type: application/json".`;
  }
  if (others.length > 0) return 'Content-Type has several values; a destination expects one.';
  const [type = '', ...parameters] = value
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!isJsonType(type)) {
    return `Content-Type ${JSON.stringify(value)} does not fit the body, which is JSON; "application/json" does.`;
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset === undefined || /^"?utf-?8"?$/.test(charset)) return undefined;
  return `Content-Type ${JSON.stringify(value)} does not fit the body, which is UTF-8.`;
}

/** Accepts `application/json` and types with the suffix `+json` (RFC 6839), such as `application/cloudevents+json`. */
function isJsonType(type: string): boolean {
  return type === 'application/json' || /^[a-z]+\/[^\s/]+\+json$/.test(type);
}
