import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { formatDuration, formatElapsed, formatExact, formatRelative } from './format-time.js';

const NowContext = createContext(Date.now());

/**
 * Provides the present time to all components that show relative times. It is updated every 5 s while the page is
 * visible.
 */
export function NowProvider({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = () => {
      if (!document.hidden) setNow(Date.now());
    };
    const timer = setInterval(tick, 5_000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}

/** Returns the present time in Unix milliseconds. While the page is visible, it is at most about 5 s old. */
export function useNow(): number {
  return useContext(NowContext);
}

/**
 * Shows a time in words, with the exact time on hover. `format` gets the number of milliseconds from now until the
 * time, which is negative for a past time.
 */
function TimeInWords({ at, format }: { at: string; format(differenceMs: number): string }) {
  const now = useNow();
  const timeMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatExact(timeMs)}>
      {format(timeMs - now)}
    </time>
  );
}

/** Shows a time as `3 minutes ago` or `in 2 hours`, with the exact time on hover. `at` is ISO 8601. */
export function RelativeTime({ at }: { at: string }) {
  return <TimeInWords at={at} format={formatRelative} />;
}

/** Shows a future time as `in 3 minutes`, with the exact time on hover, and a past time as `now`. `at` is ISO 8601. */
export function NextTime({ at }: { at: string }) {
  const now = useNow();
  return Date.parse(at) > now ? <RelativeTime at={at} /> : 'now';
}

/** Shows the time since `since` (ISO 8601) as `6 minutes`, with the exact start on hover. */
export function ElapsedTime({ since }: { since: string }) {
  return <TimeInWords at={since} format={(differenceMs) => formatElapsed(-differenceMs)} />;
}

/** Shows the exact local time. `at` is ISO 8601. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatExact(Date.parse(at))}
    </time>
  );
}

export function Duration({ ms }: { ms: number }) {
  return <span title={`${ms} ms`}>{formatDuration(ms)}</span>;
}
