import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TimeRange } from '../api/index.js';
import { usePaths } from '../paths.js';
import { Duration, ElapsedTime } from '../ui/index.js';
import { formatPercent, type Summary } from './summary.js';

interface NumbersProps {
  summary: Summary;
  /** Length of a time step of the summary. */
  step: TimeRange['step'];
  oldestOpenAt: string | null;
}

/** Shows the totals of the time range, the number of open deliveries, and the age of the oldest one. */
export function Numbers({ summary, step, oldestOpenAt }: NumbersProps) {
  const paths = usePaths();
  const { succeeded, failed, successRate, p50Ms, p95Ms, open } = summary;
  const ended = succeeded + failed;
  // The oldest open delivery can be older than the time range, and `open` counts only deliveries of the time range.
  const oldest = open === 0 ? 'none of this time range; an older one' : 'the oldest';
  return (
    <dl className="numbers">
      <Tile
        name="Success rate"
        note={
          ended === 0
            ? 'no delivery has ended'
            : `${succeeded.toLocaleString('en')} of ${ended.toLocaleString('en')} deliveries`
        }
      >
        {successRate === null ? '–' : formatPercent(successRate)}
      </Tile>
      <Tile name="Median time to deliver" note={`median of the p50 of each ${step}`}>
        {p50Ms === null ? '–' : <Duration ms={p50Ms} />}
      </Tile>
      <Tile name="Slowest 5 %" note={`p95 of the slowest ${step}`}>
        {p95Ms === null ? '–' : <Duration ms={p95Ms} />}
      </Tile>
      <Tile
        name="Not delivered yet"
        note={
          oldestOpenAt === null ? (
            'nothing waits'
          ) : (
            <>
              {oldest} has waited for <ElapsedTime since={oldestOpenAt} />
            </>
          )
        }
      >
        {open === 0 && oldestOpenAt === null ? (
          '0'
        ) : (
          <Link to={paths.deliveries({ status: 'waiting' })}>{open.toLocaleString('en')}</Link>
        )}
      </Tile>
    </dl>
  );
}

function Tile({ name, note, children }: { name: string; note: ReactNode; children: ReactNode }) {
  return (
    <div className="card">
      <dt className="muted">{name}</dt>
      <dd className="number">{children}</dd>
      <dd className="muted">{note}</dd>
    </div>
  );
}
