import type { IncomingMessage } from 'node:http';

/**
 * Returns why a request cannot come from a person or program of this machine, or undefined. A web page elsewhere can send
 * requests to loopback: its name resolves to 127.0.0.1 (DNS rebinding), or it names another origin.
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
