import { invalidQuery } from '@tocsin/kit';
import type { Knex } from 'knex';

export interface WebhookFilter {
  workspaceId: string;
  /** Text that the name contains, ignoring case. */
  name: string | undefined;
  externalId: string | undefined;
  host: HostFilter | undefined;
}

/** Matches webhooks whose URL has one of the origins. With `anyPort`, any port of the URL matches. */
interface HostFilter {
  origins: string[];
  anyPort: boolean;
}

export function findWebhooks(
  knex: Knex,
  { workspaceId, name, externalId, host }: WebhookFilter,
): Knex.QueryBuilder {
  const query = knex('webhooks').where('workspace_id', workspaceId);
  if (name !== undefined) query.whereRaw('position(lower(?) in lower(name)) > 0', [name]);
  if (externalId !== undefined) query.where('external_id', externalId);
  if (host === undefined) return query;
  const { origins, anyPort } = host;
  return query.where((either) => {
    either.whereIn('destination', origins);
    if (anyPort)
      for (const origin of origins) either.orWhereRaw('starts_with(destination, ?)', [`${origin}:`]);
  });
}

export const hostQuery = {
  type: 'string',
  minLength: 1,
  maxLength: 260,
  description: 'Host of the url, ignoring case. `host` matches all ports, `host:port` only one.',
} as const;

/**
 * Creates a filter from a host, with or without a port. The host is normalized as in URLs: names in lower case and
 * ASCII, addresses in their short form.
 * @throws AppError `validation_failed` for a text that is not a host
 */
export function parseHost(text: string): HostFilter {
  return {
    origins: ['http', 'https'].map((scheme) => originOf(`${scheme}://${text}`)),
    anyPort: !/:\d+$/.test(text),
  };
}

function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // With a path, a query or userinfo, the URL is longer than its origin and a slash.
  if (url !== undefined && url.href === `${url.origin}/`) return url.origin;
  const message = 'must be a host name or an address, such as chat.example.com or 10.0.0.1:8443';
  throw invalidQuery([{ path: 'host', message }]);
}
