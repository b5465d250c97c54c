import { checkHeaders } from '@tocsin/egress';
import { AppError, type FieldError } from '@tocsin/kit';
import type { WebhookSecrets } from './stored-webhook.js';

/** What saving and testing ask of egress and template. */
export interface WebhookChecks {
  /** Sentences; none where the url may be used. */
  urlProblems(url: string): string[];
  checkTemplate(body: string): TemplateCheck;
  /** A sentence where the url's name leads nowhere now. */
  resolveWarning(url: string): Promise<string | undefined>;
}

/** Problems refuse the template, warnings do not. */
interface TemplateCheck {
  problems: string[];
  warnings: string[];
  /** It could not be checked in time: a problem of the template, or of how busy this machine is. */
  tookTooLong?: boolean;
}

const maxBodyBytes = 65_536;

/**
 * Checks what is about to be saved, as far as it is given; the warnings about it.
 * @throws AppError `validation_failed` naming every fault; `unavailable` where the body could not be checked in time
 */
export async function checkWebhook(
  { url, headers, body }: { [Name in keyof WebhookSecrets]?: WebhookSecrets[Name] | undefined },
  checks: WebhookChecks,
): Promise<string[]> {
  const template = body === undefined ? undefined : checkBody(body, checks);
  if (template?.tookTooLong) throw checkedTooLong();
  refuseFaults([
    ...(url === undefined ? [] : urlFaults(url, checks)),
    ...(headers === undefined ? [] : checkHeaders(headers)),
    ...(template?.problems ?? []).map((message) => ({ path: '/body', message })),
  ]);
  const unresolved = url === undefined ? undefined : await checks.resolveWarning(url);
  return [...(unresolved === undefined ? [] : [`url: ${unresolved}`]), ...(template?.warnings ?? [])];
}

/**
 * Checks what is about to be sent as a test; its body may be anything.
 * @throws AppError `validation_failed` naming every fault
 */
export function checkProbe({ url, headers, body }: WebhookSecrets, checks: WebhookChecks): void {
  const size = bodySizeProblem(body);
  refuseFaults([
    ...urlFaults(url, checks),
    ...checkHeaders(headers),
    ...(size === undefined ? [] : [{ path: '/body', message: size }]),
  ]);
}

/** A sentence where a body, template or not, is longer than what is kept. */
export function bodySizeProblem(body: string): string | undefined {
  return Buffer.byteLength(body) > maxBodyBytes ? `must be at most ${maxBodyBytes} bytes` : undefined;
}

function checkBody(body: string, checks: WebhookChecks): TemplateCheck {
  const problem = bodySizeProblem(body);
  return problem === undefined ? checks.checkTemplate(body) : { problems: [problem], warnings: [] };
}

function checkedTooLong(): AppError {
  const detail = 'Checking this body took too long. Let it do less; where it does little, try again.';
  return new AppError('unavailable', detail, { retryAfterSeconds: 5 });
}

function urlFaults(url: string, checks: WebhookChecks): FieldError[] {
  return checks.urlProblems(url).map((message) => ({ path: '/url', message }));
}

// A mebibyte of bad header values must not come back as that many sentences.
const maxFaults = 20;

/** @throws AppError `validation_failed` where there are any. */
export function refuseFaults(faults: FieldError[]): void {
  const errors = faults.slice(0, maxFaults);
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The request body is not valid.', { errors });
}
