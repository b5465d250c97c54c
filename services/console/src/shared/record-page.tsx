import type { Permission } from '@tocsin/identity/browser';
import { Permitted } from '../api/index.js';
import { Page, type PageHead } from '../ui/index.js';
import { QueryState, type QueryStateProps } from './query-state.js';

/** For each kind of record, the permission that is required to read it. */
const permissions = {
  alert: 'alert_read',
  'alert rule': 'alert_rule_read',
  delivery: 'delivery_read',
  webhook: 'webhook_read',
} as const satisfies Record<string, Permission>;

export interface RecordPageProps<T> extends Pick<QueryStateProps<T>, 'query' | 'children'> {
  kind: keyof typeof permissions;
  /**
   * Returns the title of the page, the text below the title, and the buttons next to it. Called after the record is
   * loaded.
   */
  head(record: T): PageHead;
}

/** Page of one record, for example of a webhook. */
export function RecordPage<T>({ kind, query, head, children }: RecordPageProps<T>) {
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  return (
    <Page {...(query.data === undefined ? { title } : head(query.data))}>
      <Permitted permission={permissions[kind]} what={`This ${kind}`}>
        <QueryState query={query} what={`the ${kind}`}>
          {children}
        </QueryState>
      </Permitted>
    </Page>
  );
}
