import type { TestResult } from '@tocsin/contracts';
import type { SendResult } from '@tocsin/egress';
import { likelyCause } from './likely-cause.js';
import type { WebhookSecrets } from './stored-webhook.js';

/** The one guarded sender, as tests use it. Never rejects: what fails, fails as a result. */
export interface ProbeSender {
  send(request: WebhookSecrets, signal: AbortSignal): Promise<SendResult>;
}

/** Sends one POST and tells what came of it. */
export async function probe(
  request: WebhookSecrets,
  { sender, signal }: { sender: ProbeSender; signal: AbortSignal },
): Promise<TestResult> {
  return toTestResult(await sender.send(request, signal));
}

// The customer's document: "A destination status code above 299 counts as a failure of the test."
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
    likely_cause: likelyCause(statusCode),
  };
}
