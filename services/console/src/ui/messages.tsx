import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.js';

export type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'muted';

export function Notice({ tone = 'muted', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone}>
      {children}
    </div>
  );
}

/** Words for something that is on its way. They appear after 300 ms, so that a fast response causes no flicker. */
export function Loading({ what }: { what: string }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="muted">
      {isShown ? `Loading ${what} …` : ''}
    </p>
  );
}

/** Members of the client's errors that are worth showing. */
interface DescribedError extends Error {
  requestId?: string | undefined;
  status?: number | undefined;
  errors?: readonly { path: string; message: string }[];
}

/** An error in the API's words, with the id of the request, which is also in the log of the service. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { message, requestId, errors = [] } = error as DescribedError;
  return (
    <div role="alert" className="notice" data-tone="bad">
      <p>{message}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message: problem }) => (
            <li key={`${path} ${problem}`}>{path === '' ? problem : `${path}: ${problem}`}</li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p className="detail">
          Request id: <code>{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <p className="detail">
          <Button onPress={onRetry}>Try again</Button>
        </p>
      )}
    </div>
  );
}

/** State of a list without entries: the reason, and the next step. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
