import { escapePointer, type FieldError } from '@tocsin/kit';

const maxNames = 50;
const maxTotalBytes = 8192;

const forbiddenNames = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

/**
 * Returns the errors of configured headers (name -> values); empty if they can be sent unchanged. It checks:
 * - the number of names, at most 50;
 * - the size, at most 8,192 bytes: all lines `Name: value` with a line end, one line for each value;
 * - names, which must be tokens (RFC 9110 §5.1), must not differ in case only, and must not be names that the sender
 *   sets or that control the connection;
 * - values, which can contain tab, space to `~`, and 0x80 to 0xFF. Each character is sent as one byte.
 */
export function checkHeaders(headers: Record<string, string[]>): FieldError[] {
  const names = Object.keys(headers);
  if (names.length > maxNames) return [{ path: '/headers', message: `must have at most ${maxNames} names` }];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  let totalBytes = 0;
  for (const name of names) {
    // Headers after the size limit are not checked. This also limits the number of reported errors.
    if (totalBytes > maxTotalBytes) break;
    const message = nameError(name, seen);
    if (message !== undefined) errors.push({ path: pathOf(name), message });
    seen.add(name.toLowerCase());
    for (const [index, value] of (headers[name] ?? []).entries()) {
      totalBytes += name.length + value.length + 4;
      if (totalBytes > maxTotalBytes) break;
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
        errors.push({
          path: `${pathOf(name)}/${index}`,
          message: 'must not contain control or non-Latin-1 characters',
        });
      }
    }
  }
  if (totalBytes > maxTotalBytes) {
    errors.push({ path: '/headers', message: `must be at most ${maxTotalBytes} bytes in total` });
  }
  return errors;
}

function nameError(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return 'must be a header name';
  const lowerCased = name.toLowerCase();
  if (seen.has(lowerCased)) return 'must not differ from another name in case only';
  if (forbiddenNames.has(lowerCased) || lowerCased.startsWith('proxy-')) {
    return 'must not be set: it belongs to the connection';
  }
  return undefined;
}

function pathOf(name: string): string {
  return `/headers/${escapePointer(name)}`;
}
