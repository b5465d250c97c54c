import type { Permission } from '@tocsin/identity/browser';
import type { ReactNode } from 'react';
import { Permitted, usePermission } from '../api/index.js';
import { Empty, LinkButton, Notice, Page } from '../ui/index.js';
import { QueryState, type QueryStateProps } from './query-state.js';

export interface ListPageProps<T> extends Pick<QueryStateProps<readonly T[]>, 'query'> {
  title: string;
  lead: string;
  /** Kind of the entries in the singular, for example `alert rule`. */
  kind: string;
  permissions: { list: Permission; create: Permission };
  /** Address of the page that creates an entry. */
  newPath: string;
  /** Text that an empty list shows to users who can create entries. */
  firstSteps: string;
  /** Returns the content that shows the entries. Called only if there is at least one entry. */
  children(entries: readonly T[]): ReactNode;
}

/** Page with all resources of one kind, for example all webhooks, and a button that opens the page for a new one. */
export function ListPage<T>(props: ListPageProps<T>) {
  const { query, title, lead, kind, permissions, newPath, firstSteps, children } = props;
  const create = usePermission(permissions.create);
  const action = create.allowed ? (
    <LinkButton kind="primary" to={newPath}>{`New ${kind}`}</LinkButton>
  ) : undefined;
  const empty = (
    <Empty title={`No ${kind}s yet`} action={action}>
      {create.allowed ? firstSteps : 'Users with the role editor or admin can create one.'}
    </Empty>
  );
  return (
    <Page title={title} lead={lead} actions={action}>
      <Permitted permission={permissions.list} what={`The list of ${kind}s`}>
        {!create.allowed && <Notice>{`Creating ${kind}s is not available to you. ${create.reason}`}</Notice>}
        <QueryState query={query} what={`the ${kind}s`}>
          {(entries) => (entries.length === 0 ? empty : children(entries))}
        </QueryState>
      </Permitted>
    </Page>
  );
}

export interface RowCountProps {
  /** Number of entries that match the filters. */
  found: number;
  total: number;
  /** Kind of the entries in the singular, for example `webhook`. */
  kind: string;
}

/** Shows the number of entries, for example `3 of 12 webhooks`. */
export function RowCount({ found, total, kind }: RowCountProps) {
  const count = found === total ? `${total}` : `${found} of ${total}`;
  return <p className="muted" role="status">{`${count} ${total === 1 ? kind : `${kind}s`}`}</p>;
}
