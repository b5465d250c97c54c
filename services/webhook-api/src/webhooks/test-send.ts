import { likelyCauseOf, type TestResult } from '@tocsin/contracts';
import type { SendResult } from '@tocsin/egress';
import type { WebhookSecrets } from './stored-webhook.js';

/** The egress sender. It never rejects: a failure is a result. */
export interface TestSender {
  send(request: WebhookSecrets, signal: AbortSignal): Promise<SendResult>;
}

/** Sends one POST request and returns its result. */
export async function testSend(
  request: WebhookSecrets,
  { sender, signal }: { sender: TestSender; signal: AbortSignal },
): Promise<TestResult> {
  return toTestResult(await sender.send(request, signal));
}

/** The specification counts a status above 299 as a failed test. */
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
