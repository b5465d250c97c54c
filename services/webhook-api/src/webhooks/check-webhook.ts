import { checkHeaders, checkUrl, type parseCidrs, type Sender } from '@tocsin/egress';
import { AppError, type FieldError, invalidBody, maxErrors } from '@tocsin/kit';
import { contentTypeWarning } from './content-type-warning.js';
import type { WebhookSecrets } from './stored-webhook.js';
import { bodySizeProblem, type Templates } from './templates.js';

type GivenFields = { [Name in keyof WebhookSecrets]?: WebhookSecrets[Name] | undefined };

export interface WebhookChecks {
  /**
   * Checks the given fields before they are saved, and returns warnings. `others` are errors of other fields. They are
   * reported together with the errors that this check finds.
   * @throws AppError `validation_failed` with up to 20 errors; `unavailable` if the check of the body times out;
   *   `too_many_requests` if the workspace has used up its time for templates
   */
  checkSave(workspaceId: string, fields: GivenFields, others?: FieldError[]): Promise<string[]>;
  /** Returns a warning if the body of a webhook for notices does not render to JSON with the values of a notice. */
  noticeWarnings(workspaceId: string, body: string): string[];
  /**
   * Checks a request before it is sent as a test. The body can be any text up to the maximum length of a body.
   * @throws AppError `validation_failed` with up to 20 errors
   */
  checkTest(request: WebhookSecrets): void;
  /** Lists further errors of a body that the schema has rejected. Only members with the right type are checked. */
  errorsOfSave(workspaceId: string, body: Readonly<Record<string, unknown>>): FieldError[];
  errorsOfTest(body: Readonly<Record<string, unknown>>): FieldError[];
}

export interface WebhookChecksDeps {
  /** Special-purpose address ranges that webhooks may call in addition to public addresses. */
  allow: ReturnType<typeof parseCidrs>;
  sender: Pick<Sender, 'resolutionWarning'>;
  templates: Pick<Templates, 'check' | 'render'>;
}

export function createWebhookChecks({ allow, sender, templates }: WebhookChecksDeps): WebhookChecks {
  const requestErrors = ({ url, headers }: GivenFields) => [
    ...(url === undefined ? [] : toErrors('/url', checkUrl(url, { allow }))),
    ...(headers === undefined ? [] : checkHeaders(headers)),
  ];
  const bodyErrors = (body: string | undefined) => {
    const size = body === undefined ? undefined : bodySizeProblem(body);
    return toErrors('/body', size === undefined ? [] : [size]);
  };
  const checkTemplate = (workspaceId: string, body: string | undefined) =>
    body === undefined || bodySizeProblem(body) !== undefined
      ? undefined
      : templates.check(workspaceId, body);

  return {
    async checkSave(workspaceId, { url, headers, body }, others = []) {
      const template = checkTemplate(workspaceId, body);
      if (template?.timedOut) throw checkTimedOut();
      requireValid([
        ...requestErrors({ url, headers }),
        ...bodyErrors(body),
        ...toErrors('/body', template?.problems ?? []),
        ...others,
      ]);
      const unresolved = url === undefined ? undefined : await sender.resolutionWarning(url);
      const contentType = headers === undefined ? undefined : contentTypeWarning(headers);
      return [
        ...(unresolved === undefined ? [] : [`url: ${unresolved}`]),
        ...(contentType === undefined ? [] : [`headers: ${contentType}`]),
        ...(template?.warnings ?? []),
      ];
    },

    noticeWarnings(workspaceId, body) {
      const { error } = templates.render(workspaceId, body, { context: sampleNotice });
      return error === null ? [] : [`body: a notice does not render: ${error}`];
    },

    checkTest: ({ url, headers, body }) =>
      requireValid([...requestErrors({ url, headers }), ...bodyErrors(body)]),

    errorsOfSave(workspaceId, given) {
      const fields = fieldsOf(given);
      const problems = checkTemplate(workspaceId, fields.body)?.problems ?? [];
      return [...requestErrors(fields), ...bodyErrors(fields.body), ...toErrors('/body', problems)];
    },

    errorsOfTest(given) {
      const fields = fieldsOf(given);
      return [...requestErrors(fields), ...bodyErrors(fields.body)];
    },
  };
}

/** Sample values of a notice. They replace the sample values of an alert with the same names. */
const sampleNotice = {
  event: 'webhook.failing',
  alert_rule_name: 'Tocsin: webhook failing',
  webhook_id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  webhook_name: 'Chat "risk"',
  model_name: 'Chat "risk"',
  metric_value: 0,
  threshold: 0,
  bound: 'upper_bound',
  since: '2026-01-31T12:00:00.000Z',
  error: 'The destination responded with status "500".',
  count: 0,
};

/** Returns the members of a rejected body that have the right type. The others are undefined. */
function fieldsOf({ url, headers, body }: Readonly<Record<string, unknown>>): GivenFields {
  return {
    url: typeof url === 'string' ? url : undefined,
    headers: isHeaders(headers) ? headers : undefined,
    body: typeof body === 'string' ? body : undefined,
  };
}

function isHeaders(value: unknown): value is WebhookSecrets['headers'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const areStrings = (values: unknown) =>
    Array.isArray(values) && values.every((item) => typeof item === 'string');
  return Object.values(value).every(areStrings);
}

function toErrors(path: string, messages: string[]): FieldError[] {
  return messages.map((message) => ({ path, message }));
}

/**
 * Rejects a request that has errors.
 * @throws AppError `validation_failed` with the first `maxErrors` errors, if there are any
 */
export function requireValid(errors: FieldError[]): void {
  if (errors.length > 0) throw invalidBody(errors.slice(0, maxErrors));
}

function checkTimedOut(): AppError {
  const detail = 'The check of the body timed out. Simplify the template, or try again.';
  return new AppError('unavailable', detail, { retryAfterSeconds: 5 });
}
