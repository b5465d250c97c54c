import type { Sender, SendRequest, SendResult } from '@tocsin/egress';
import type { Logger, Tracing } from '@tocsin/kit';
import { createBodyMemory } from '../../src/delivery/body-memory.js';
import { createFailureCounter } from '../../src/delivery/circuit.js';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import { defaultRetryPolicy } from '../../src/delivery/classify.js';
import { createDeliver } from '../../src/delivery/deliver.js';
import type { Deferral } from '../../src/delivery/outcome.js';
import type { RenderBody } from '../../src/delivery/prepare.js';
import type { OutcomeRecord } from '../../src/delivery/record-repository.js';
import type { RenderBudget } from '../../src/delivery/render-budget.js';
import type { RequestOptions } from '../../src/delivery/webhooks-reader.js';
import { createSlots } from '../../src/slots/slots.js';

let deliveries = 0;

export function claimed(webhookId: string, changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  deliveries += 1;
  return {
    deliveryId: `delivery ${deliveries}`,
    workspaceId: 'w',
    webhookId,
    requestId: null,
    traceparent: null,
    run: 1,
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    ageMs: 0,
    manual: false,
    webhook: { version: 1, enabled: true, retryOnTimeout: true },
    pause: undefined,
    facts: {} as ClaimedDelivery['facts'],
    claimedAtMs: 1_000,
    ...changes,
  };
}

export const noBudget: Omit<RenderBudget, 'rendersLeft'> = {
  allows: () => true,
  wait: async () => true,
  run: (_, render) => render(),
};

/** Options of a webhook for which no option is set. */
export const unsetOptions: RequestOptions = {
  retryScheduleMs: undefined,
  timeoutMs: undefined,
  rateLimit: undefined,
  signingKeys: undefined,
  idempotencyHeader: undefined,
  manualPauses: [],
};

interface StartOptions {
  renderBudget?: Omit<RenderBudget, 'rendersLeft'>;
  leaseHeldSinceMs?: number;
  /** Result of every request. Default: a response with the status passed to `deliverWithSlot`, or 200. */
  result?: SendResult | Promise<SendResult>;
  random?: number;
  options?: RequestOptions;
  render?: RenderBody;
  /** True if the arguments of `startSpan` are recorded in `spans`. */
  traced?: boolean;
  /** Error of the query that reads the webhook. */
  webhookError?: Error;
}

/** Creates the function `deliver` with fake dependencies that record their calls. */
export function startDeliverer({
  renderBudget = noBudget,
  leaseHeldSinceMs = 0,
  result,
  random = 0.5,
  options,
  render,
  traced = false,
  webhookError,
}: StartOptions = {}) {
  const slots = createSlots({ total: 80, now: () => performance.now(), waitMs: 5 });
  const statuses: number[] = [];
  const sent: string[] = [];
  const requests: SendRequest[] = [];
  const recorded: string[] = [];
  const records: OutcomeRecord[] = [];
  /** Names of the commits, in the order in which they were made. */
  const commits: string[] = [];
  const paused: string[] = [];
  const deferred: string[] = [];
  const deferrals: Deferral[] = [];
  /** Numbers of slots in use at each request and commit. */
  const slotsInUse: [at: string, slots: number][] = [];
  /** For each redacted text, its length, and true if it was cut before the redaction. */
  const redacted: [length: number, isCut: boolean][] = [];
  const logged: object[] = [];
  /** Level and name of each log event. */
  const events: [level: string, event: string][] = [];
  const log = (level: string) => (fields: object, event: string) => {
    logged.push(fields);
    events.push([level, event]);
  };
  /** Name and argument of each call of the metrics. The name `counted` stands for `onAttempt`. */
  const measured: [name: string, value?: unknown][] = [];
  const measure = (name: string) => (value?: unknown) => void measured.push([name, value]);
  const spans: Parameters<Tracing['startSpan']>[] = [];
  const tracing: Tracing = {
    startSpan(...span) {
      spans.push(span);
      return { traceparent: 'a parent', end() {} };
    },
  };
  const send: Sender['send'] = async (request) => {
    sent.push(request.url);
    requests.push(request);
    slotsInUse.push(['send', slots.inUse()]);
    if (result !== undefined) return result;
    return {
      kind: 'response',
      statusCode: statuses.shift() ?? 200,
      body: '',
      truncated: false,
      durationMs: 1,
    };
  };
  const deliver = createDeliver({
    webhooks: {
      async get(id) {
        if (webhookError !== undefined) throw webhookError;
        return {
          id,
          version: 1,
          destination: id,
          url: id,
          headers: {},
          body: id,
          redact(text, { isCut }) {
            redacted.push([text.length, isCut]);
            return text;
          },
          options,
        };
      },
    },
    render: render ?? (() => ({ ok: true, output: '{}' })),
    renderBudget,
    bodyMemory: createBodyMemory(),
    slots,
    lease: { covers: (sinceMs) => sinceMs >= leaseHeldSinceMs },
    sender: { send },
    recorder: {
      async record(record) {
        recorded.push(record.claimed.webhookId);
        records.push(record);
        commits.push('record');
        slotsInUse.push(['record', slots.inUse()]);
      },
      async defer(_, deferral) {
        deferred.push(deferral.reason);
        deferrals.push(deferral);
        slotsInUse.push(['defer', slots.inUse()]);
      },
      async pause({ webhookId }) {
        await settled();
        paused.push(webhookId);
        commits.push('pause');
      },
      async resume(webhookId) {
        await settled();
        commits.push(`resume ${webhookId}`);
      },
    },
    failures: createFailureCounter(),
    policy: defaultRetryPolicy,
    logger: { info: log('info'), success: log('success') } as unknown as Logger,
    tracing: traced ? tracing : undefined,
    metrics: {
      attempted: measure('attempted'),
      rendered: measure('rendered'),
      recorded: measure('recorded'),
      deferred: measure('deferred'),
    },
    onAttempt: measure('counted'),
    now: () => 1_700_000_000_000,
    random: () => random,
  });
  const deliverWithSlot = (webhookId: string, status = 200) => {
    statuses.push(status);
    const delivery = claimed(webhookId);
    void deliver(delivery, slots.acquire(delivery)!);
  };
  /** Processes one delivery until its outcome is recorded. Returns the recorded outcome. */
  const deliverOne = async (changes: Partial<ClaimedDelivery> = {}) => {
    const delivering = deliver(claimed('w', changes));
    await settled();
    await delivering;
    return records.at(-1)!;
  };
  return {
    deliver,
    slots,
    sent,
    requests,
    redacted,
    logged,
    events,
    measured,
    spans,
    slotsInUse,
    recorded,
    commits,
    paused,
    deferred,
    deferrals,
    deliverWithSlot,
    deliverOne,
  };
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));

export const response = (statusCode: number, changes: Partial<SendResult> = {}) =>
  ({
    kind: 'response',
    statusCode,
    body: 'a text',
    truncated: false,
    durationMs: 7,
    ...changes,
  }) as SendResult;
export const error = (code: 'timeout' | 'internal_error'): SendResult => ({
  kind: 'error',
  code,
  error: 'A sentence.',
  durationMs: 7,
});
