import type { TestResult } from '@tocsin/client/browser';
import { CodeBlock, Duration, Facts, Failure, Notice } from '../ui/index.js';

/**
 * Shows the result of a test request: status, duration, likely cause and response, or the reason why nothing was sent.
 */
export function TestResultView({ result, error }: { result: TestResult | undefined; error: Error | null }) {
  if (error !== null) return <Failure error={error} />;
  if (result === undefined) return null;
  const { success, response, duration_ms, likely_cause } = result;
  return (
    <div role="status" className="stack">
      <Notice tone={success ? 'good' : 'bad'}>
        <p>
          <strong>{success ? 'The destination accepted the test.' : 'The test failed.'}</strong>
        </p>
        {result.error !== null && <p>{sentenceOf(result.error)}</p>}
        {likely_cause !== null && <p>{`Likely cause: ${likely_cause}`}</p>}
      </Notice>
      <Facts
        facts={[
          ['Status', response?.status_code],
          [
            'Duration',
            response === null && duration_ms === 0 ? undefined : <Duration ms={duration_ms} key="ms" />,
          ],
          ['Error', result.error === null ? undefined : <code key="code">{codeOf(result.error)}</code>],
        ]}
      />
      {response !== null && response.response !== '' && (
        <CodeBlock label="Response" text={response.response} />
      )}
      {response !== null && response.response === '' && <p className="muted">The response has no body.</p>}
    </div>
  );
}

/** Returns the code of an error. The API formats errors as `code: sentence`. */
function codeOf(error: string): string {
  return error.split(':', 1)[0] ?? error;
}

function sentenceOf(error: string): string {
  const at = error.indexOf(': ');
  return at === -1 ? error : error.slice(at + 2);
}
