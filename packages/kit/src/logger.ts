import { type DestinationStream, type LoggerOptions as LoggerOptionsOfPino, pino } from 'pino';
import { instanceName, readVersion } from './build-identity.js';
import { createLogOutput, type LogOutput } from './log-output.js';

/** All levels of pino. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogMethod = (fields: object, event: string) => void;

/** Writes one line with many fields for each unit of work: `logger.info({ delivery_id, duration_ms }, 'delivery.attempted')`. */
export interface Logger {
  debug: LogMethod;
  /** Logs work that succeeded, at the level `info`. `successPercent` limits how many of these lines are written. */
  success: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  /** Logs an event that an operator has to act on. */
  error: LogMethod;
  fatal: LogMethod;
  child(fields: object): Logger;
}

export interface LoggerOptions {
  service: string;
  level: LogLevel;
  /** Percentage of the lines of `success` that are written, chosen at random. Default: 100. */
  successPercent?: number;
  /** Stream that the lines are written to. Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a logger of JSON lines, each with service, version and instance. Errors under `err` are written with type, message, code, stack and causes only: other
 * properties can contain secrets, such as the request headers in the error of an HTTP client.
 */
export function createLogger({ service, level, successPercent = 100, destination }: LoggerOptions): Logger {
  const base = { service, version: readVersion(), instance: instanceName() };
  return pino(
    {
      level,
      base,
      timestamp: createTimestamp(),
      customLevels: { success: successLevel },
      formatters: { level: (label) => ({ level: label === 'success' ? 'info' : label }), log: redact },
      ...(successPercent < 100 && { hooks: { logMethod: sampleSuccess(successPercent) } }),
      serializers: { err: describeError },
    },
    destination ?? standardOutput(base),
  );
}

/** A level of pino between `info` (30) and `warn` (40). */
const successLevel = 31;

type LogHook = NonNullable<NonNullable<LoggerOptionsOfPino['hooks']>['logMethod']>;

function sampleSuccess(percent: number): LogHook {
  return function writeSome(args, write, level) {
    if (level !== successLevel || Math.random() * 100 < percent) write.apply(this, args);
  };
}

/** Formats the time once for all lines of the same millisecond; pino's `isoTime` formats it for each line. */
function createTimestamp(): () => string {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

let output: LogOutput | undefined;

/** All loggers of the process share one output, which keeps their lines in order. It is flushed at the exit. */
function standardOutput(base: object): LogOutput {
  if (output) return output;
  const created = createLogOutput({ describeDropped: (lines) => describeDropped(base, lines) });
  process.on('exit', () => created.flushSync());
  output = created;
  return output;
}

function describeDropped(base: object, lines: number): string {
  return `${JSON.stringify({ level: 'warn', time: new Date(), ...base, lines, msg: 'log.lines_dropped' })}\n`;
}

const secretName = /^(?:authorization|cookie|password|secret|client_secret|token|api_key)$/i;
const redactedDepth = 4;

/** Hides secrets by field name. Pino's own redaction of nested names takes ten times as long as the rest of a line. */
function redact(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let kept = fields;
  for (const name in fields) {
    const value = fields[name];
    const shown = secretName.test(name) ? '[redacted]' : redactNested(value, depth);
    if (shown === value) continue;
    if (kept === fields) kept = { ...fields };
    kept[name] = shown;
  }
  return kept;
}

function redactNested(value: unknown, depth: number): unknown {
  return depth < redactedDepth && isPlainObject(value) ? redact(value, depth + 1) : value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

interface ErrorDescription {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorDescription;
}

const maxCauses = 5;

function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code } = error as { code?: unknown };
  // A connection attempt to several addresses fails with a list of errors; its own message is empty.
  const cause = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack && { stack: error.stack }),
    ...(cause !== undefined && depth < maxCauses && { cause: describeError(cause, depth + 1) }),
  };
}
