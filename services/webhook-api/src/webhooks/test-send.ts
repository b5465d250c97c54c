import { likelyCauseOf, type TestResult } from '@tocsin/contracts';
import type { SendRequest, SendResult } from '@tocsin/egress';

/** The part of the egress sender that tests use. `send` never rejects, because failures are results too. */
export interface TestSender {
  send(request: SendRequest, signal: AbortSignal): Promise<SendResult>;
}

/** Sends one POST request and returns its result. */
export async function testSend(
  request: SendRequest,
  { sender, signal }: { sender: TestSender; signal: AbortSignal },
): Promise<TestResult> {
  return toTestResult(await sender.send(request, signal));
}

/** Highest status code of a successful test. The product specification prescribes this limit. */
const lastSuccess = 299;

export function toTestResult(result: SendResult): TestResult {
  const duration_ms = Math.round(result.durationMs);
  if (result.kind === 'error') {
    const error = `${result.code}: ${result.error}`;
    return { error, response: null, success: false, duration_ms, likely_cause: null };
  }
  const { statusCode, body } = result;
  return {
    error: null,
    response: { status_code: statusCode, response: body },
    success: statusCode <= lastSuccess,
    duration_ms,
    likely_cause: likelyCauseOf(statusCode),
  };
}
