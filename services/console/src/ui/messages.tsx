import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.js';

export type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'muted';

export interface NoticeProps {
  tone?: Tone;
  /** `alert` if screen readers read the message as soon as it appears. */
  role?: 'alert';
  children: ReactNode;
}

export function Notice({ tone = 'muted', role, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={role}>
      {children}
    </div>
  );
}

/** Loading message. It appears after 300 ms, so that a fast response causes no flicker. */
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

/** Members of an API client error that `Failure` shows. */
interface DescribedError extends Error {
  requestId?: string | undefined;
  status?: number | undefined;
  errors?: readonly { path: string; message: string }[];
}

/** Shows the error message of the API, with the request id that the service logs. */
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

/** Message for a list without entries. It says why the list is empty and what the user can do next. */
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
