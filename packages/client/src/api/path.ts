/**
 * Template tag that percent-encodes the values of a path: `` path`/webhooks/${id}` ``.
 * @throws TypeError for an empty value, `.` and `..`, because these would change the path
 */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
  return texts.reduce((built, text, index) => built + encode(values[index - 1] ?? '') + text);
}

function encode(value: string): string {
  if (value === '' || value === '.' || value === '..')
    throw new TypeError(`${JSON.stringify(value)} is not an id.`);
  if (!value.isWellFormed()) throw new TypeError('An id must not contain a lone surrogate.');
  return encodeURIComponent(value);
}
