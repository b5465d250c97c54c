import type { IncomingMessage } from 'node:http';

/**
 * Returns the reason for rejecting a request that may come from another site, or undefined. A web page of another site
 * can also send requests to loopback addresses: with a name that resolves to 127.0.0.1 (DNS rebinding), or from another
 * origin.
 */
export function refuseForeign(
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
