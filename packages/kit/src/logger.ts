import { type DestinationStream, type LoggerOptions as LoggerOptionsOfPino, pino } from 'pino';
import { instanceName, readVersion } from './build-identity.js';
import { createLogOutput, type LogOutput } from './log-output.js';

/** All levels of pino. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogMethod = (fields: object, event: string) => void;

/**
 * A logger. Services log each unit of work as one line with many fields: `logger.info({ delivery_id, duration_ms },
 * 'delivery.attempted')`.
 */
export interface Logger {
  debug: LogMethod;
  /** Logs successful work at the level `info`. `successPercent` limits how many of these lines are written. */
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
  /** Percentage of the `success` lines that are written, chosen at random. Default: 100. */
  successPercent?: number;
  /** Stream that the lines are written to. Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a logger of JSON lines, each with service, version and instance. An error in the field `err` is written with
 * type, message, code, stack and causes only. Other properties can contain secrets, such as the request headers in the
 * error of an HTTP client.
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

/**
 * Internal level of `success` lines, between `info` (30) and `warn` (40) of pino, so that sampling can distinguish them
 * from `info` lines. The written lines have the level `info`.
 */
const successLevel = 31;

type LogHook = NonNullable<NonNullable<LoggerOptionsOfPino['hooks']>['logMethod']>;

function sampleSuccess(percent: number): LogHook {
  return function writeSome(args, write, level) {
    if (level !== successLevel || Math.random() * 100 < percent) write.apply(this, args);
  };
}

/** Formats the time once for all lines of the same millisecond. The `isoTime` of pino formats it for each line. */
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

/**
 * Returns the output that writes to standard output. All loggers without a `destination` share it, so that their lines
 * stay in order. The output is flushed when the process exits.
 */
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

/**
 * Replaces the values of fields whose names stand for secrets, such as `password`, in up to four levels of nested
 * objects. pino's own redaction is not used: for nested names it takes ten times as long as writing the rest of the
 * line.
 */
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
  // A failed connection attempt to several addresses is an `AggregateError` with an empty message. Its first error is
  // written as the cause.
  const cause = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack && { stack: error.stack }),
    ...(cause !== undefined && depth < maxCauses && { cause: describeError(cause, depth + 1) }),
  };
}
