import { type KeyboardEvent, useRef, useState } from 'react';
import { Link } from 'react-router';
import { usePaths } from '../paths.js';
import { formatDuration } from '../ui/index.js';
import type { Step } from './summary.js';

const outcomes = [
  { name: 'failed', label: 'failed', status: 'failed' },
  { name: 'open', label: 'not delivered yet', status: 'waiting' },
  { name: 'skipped', label: 'skipped', status: 'skipped' },
  { name: 'succeeded', label: 'succeeded', status: 'succeeded' },
] as const;

export interface DeliveryBarsProps {
  steps: readonly Step[];
  step: 'minute' | 'hour' | 'day';
}

/**
 * Bar chart with one bar for each time step. A bar links to the deliveries of its step. The Tab key reaches only one
 * bar. The left and right arrow keys, Home and End move the focus to other bars.
 */
export function DeliveryBars({ steps, step }: DeliveryBarsProps) {
  const paths = usePaths();
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState(steps.length - 1);
  const current = steps[Math.min(active, steps.length - 1)];
  const highest = Math.max(1, ...steps.map(totalOf));

  const move = (event: KeyboardEvent) => {
    const last = steps.length - 1;
    const targets: Record<string, number> = {
      ArrowLeft: active - 1,
      ArrowRight: active + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll('a')[Math.max(0, Math.min(target, last))]?.focus();
  };

  return (
    <>
      <Legend steps={steps} />
      <div className="chart">
        <div className="scale muted" aria-hidden>
          <span>{highest.toLocaleString('en')}</span>
          <span>0</span>
        </div>
        <ul ref={list} className="bars" aria-label={`Deliveries by ${step}`} onKeyDown={move}>
          {steps.map((entry, index) => (
            <li key={entry.from}>
              <Link
                to={paths.deliveries({ since: entry.from, until: entry.to })}
                tabIndex={entry === current ? 0 : -1}
                aria-label={describe(entry, step)}
                onFocus={() => setActive(index)}
                onMouseEnter={() => setActive(index)}
              >
                {outcomes.map(({ name }) => (
                  <span key={name} data-outcome={name} style={{ height: heightOf(entry[name], highest) }} />
                ))}
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <div className="axis muted" aria-hidden>
        <span>{steps[0] && formatStep(steps[0].from, step)}</span>
        <span>{steps.at(-1) && formatStep(steps.at(-1)!.from, step)}</span>
      </div>
      <p className="muted">{current && describe(current, step)}</p>
    </>
  );
}

function Legend({ steps }: { steps: readonly Step[] }) {
  const paths = usePaths();
  const range = { since: steps[0]?.from, until: steps.at(-1)?.to };
  return (
    <ul className="legend">
      {outcomes.toReversed().map(({ name, label, status }) => (
        <li key={name}>
          <span className="swatch" data-outcome={name} aria-hidden />
          <Count
            label={label}
            count={steps.reduce((sum, entry) => sum + entry[name], 0)}
            to={paths.deliveries({ status, ...range })}
          />
        </li>
      ))}
    </ul>
  );
}

/** Shows a number, as a link to its deliveries unless the number is 0. */
function Count({ label, count, to }: { label: string; count: number; to: string }) {
  return count === 0 ? `0 ${label}` : <Link to={to}>{`${count.toLocaleString('en')} ${label}`}</Link>;
}

function totalOf({ succeeded, failed, skipped, open }: Step): number {
  return succeeded + failed + skipped + open;
}

/**
 * Returns the CSS height of one part of a bar. A part with at least one delivery has at least 2 px, so that one failure
 * among thousands of deliveries stays visible.
 */
function heightOf(count: number, highest: number): string {
  return count === 0 ? '0' : `max(2px, ${(100 * count) / highest}%)`;
}

function describe(entry: Step, step: DeliveryBarsProps['step']): string {
  const counts = outcomes
    .toReversed()
    .filter(({ name }) => entry[name] > 0)
    .map(({ name, label }) => `${entry[name].toLocaleString('en')} ${label}`);
  const latency = entry.p50_ms === null ? [] : [`p50 ${formatDuration(entry.p50_ms)}`];
  const slowest = entry.p95_ms === null ? [] : [`p95 ${formatDuration(entry.p95_ms)}`];
  const facts = counts.length === 0 ? ['no deliveries'] : [...counts, ...latency, ...slowest];
  return `${formatStep(entry.from, step)}: ${facts.join(', ')}`;
}

/** Formats the start of a step in local time. Days are formatted in UTC, because they start at midnight UTC. */
function formatStep(from: string, step: DeliveryBarsProps['step']): string {
  const day = { day: 'numeric', month: 'short' } as const;
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  return step === 'day'
    ? new Date(from).toLocaleString('en-GB', { ...day, timeZone: 'UTC' })
    : new Date(from).toLocaleString('en-GB', { ...day, ...time });
}
