import type { ReactNode } from 'react';
import type { LiveList } from '../api/index.js';
import { Button, Empty, Failure, Loading, Notice } from '../ui/index.js';

/** Singular name of the entries, by their plural name. */
const singulars = {
  alerts: 'alert',
  changes: 'change',
  deliveries: 'delivery',
  'dead letters': 'dead letter',
};

export interface LiveListStateProps {
  list: LiveList<unknown>;
  things: keyof typeof singulars;
  /** True if the page has an active filter. */
  isFiltered: boolean;
  /** Shown if the list has no entries and no filter is active. */
  empty: ReactNode;
  children: ReactNode;
}

/**
 * Shows the entries of a list, or its state: loading, failed or empty. If the list has newer entries that polls did not
 * load, a message above the entries contains a button that loads them.
 */
export function LiveListState({ list, things, isFiltered, empty, children }: LiveListStateProps) {
  const noMatch = (
    <Empty title={`No ${singulars[things]} matches`}>
      Remove a filter above, or choose a longer time range.
    </Empty>
  );
  return (
    <>
      {list.error !== null && <Failure error={list.error} onRetry={list.retry} />}
      {!list.isLoaded && list.error === null && <Loading what={`the ${things}`} />}
      {list.hasNewer && (
        <Notice>
          <div className="row">
            <span>{`There are many newer ${things}.`}</span>
            <Button onPress={list.restart}>Show the newest</Button>
          </div>
        </Notice>
      )}
      {list.isLoaded && list.items.length === 0 && (isFiltered ? noMatch : empty)}
      {list.isLoaded && list.items.length > 0 && children}
    </>
  );
}

/** Returns the text below the last row, for example `60 loaded, loading more …` or `72 in total`. */
export function describeEnd({ items, hasMore, hasLoadingMoreFailed }: LiveList<unknown>): string {
  const count = items.length.toLocaleString('en');
  if (!hasMore) return `${count} in total`;
  return `${count} loaded, ${hasLoadingMoreFailed ? 'loading more failed' : 'loading more …'}`;
}
