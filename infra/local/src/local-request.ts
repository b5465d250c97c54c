import type { IncomingMessage } from 'node:http';

/**
 * Returns the reason why a request is rejected, or undefined if it is allowed. Requests from web pages of other sites
 * are rejected. Such a page can reach loopback addresses with a host name that resolves to 127.0.0.1 (DNS rebinding),
 * or with a cross-origin request.
 */
export function reasonToReject(
  { headers: { host = '', origin } }: IncomingMessage,
  otherOrigins: readonly string[] = [],
): string | undefined {
  const hostname = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (!loopbackNames.includes(hostname))
    return `The header Host must name this machine: ${loopbackNames.join(', ')}.`;
  if (origin === undefined || origin === `http://${host}` || otherOrigins.includes(origin)) return undefined;
  return 'The header Origin names another site.';
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
