import type { Attempt } from '@tocsin/client/browser';
import { usePermission } from '../api/index.js';
import { errorCodeWords, wordsOf } from '../shared/words.js';
import { CodeBlock, Duration, Empty, ExactTime, Facts, RelativeTime, StatusChip } from '../ui/index.js';
import './attempt-timeline.css';

/** Lists attempts, newest first. The details of the newest attempt are open. `attempts` is ordered from old to new. */
export function AttemptTimeline({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0)
    return (
      <Empty title="No request was sent yet">The first attempt appears here as soon as it has ended.</Empty>
    );
  return (
    <ol className="timeline" reversed>
      {attempts.toReversed().map((attempt, index) => (
        <li key={attempt.number}>
          <details open={index === 0}>
            <summary>
              <span>{`Attempt ${attempt.number}`}</span> <Result attempt={attempt} />{' '}
              <span className="muted">
                <RelativeTime at={attempt.started_at} />, took <Duration ms={attempt.duration_ms} />
                {attempt.trigger === 'manual' && ', by hand'}
              </span>
            </summary>
            <AttemptRecord attempt={attempt} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Result({ attempt: { response, error_code } }: { attempt: Attempt }) {
  if (error_code === null)
    return <StatusChip tone="good">{`HTTP ${response?.status_code ?? ''}`}</StatusChip>;
  const words = wordsOf(errorCodeWords, error_code) ?? error_code;
  return <StatusChip tone="bad">{response === null ? words : `HTTP ${response.status_code}`}</StatusChip>;
}

function AttemptRecord({ attempt }: { attempt: Attempt }) {
  const { started_at, destination, request_body, response, error, likely_cause } = attempt;
  const { allowed } = usePermission('webhook_update');
  return (
    <div className="stack">
      <Facts
        facts={[
          ['Started', <ExactTime key="started" at={started_at} />],
          ['Sent to', destination],
          ['Error', error],
          ['Likely cause', likely_cause],
          ['Redirects to', response?.location],
          ['Retry-After', response?.retry_after],
        ]}
      />
      {request_body !== null && <CodeBlock label="Request body" text={request_body} />}
      {request_body === null && !allowed && (
        <p className="muted">
          The request body can contain credentials. Only the roles editor and admin can see it.
        </p>
      )}
      {response !== null && (
        <CodeBlock
          label={`Response body${response.truncated ? ', stored part' : ''}`}
          text={response.response === '' ? '(empty)' : response.response}
        />
      )}
    </div>
  );
}
