import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePaths } from '../paths.js';
import { Duration, ElapsedTime } from '../ui/index.js';
import { formatPercent, type Summary } from './summary.js';

/** Shows the totals of the time range, and the number and age of the open deliveries. */
export function Numbers({ summary, oldestOpenAt }: { summary: Summary; oldestOpenAt: string | null }) {
  const paths = usePaths();
  const { total, failed, successRate, p50Ms, p95Ms, open } = summary;
  return (
    <dl className="numbers">
      <Tile
        name="Success rate"
        note={`${failed.toLocaleString('en')} failed of ${total.toLocaleString('en')}`}
      >
        {successRate === null ? '–' : formatPercent(successRate)}
      </Tile>
      <Tile name="Median time to deliver" note="p50, from accepted to delivered">
        {p50Ms === null ? '–' : <Duration ms={p50Ms} />}
      </Tile>
      <Tile name="Slowest 5 %" note="p95 of the slowest step">
        {p95Ms === null ? '–' : <Duration ms={p95Ms} />}
      </Tile>
      <Tile
        name="Not delivered yet"
        note={
          oldestOpenAt === null ? (
            'nothing waits'
          ) : (
            <>
              the oldest has waited for <ElapsedTime since={oldestOpenAt} />
            </>
          )
        }
      >
        {open === 0 ? (
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
