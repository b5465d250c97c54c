import { type DestinationStream, pino } from 'pino';

/** A closed list, as pino knows it. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogMethod = (fields: object, event: string) => void;

/** One wide line for each unit of work: `logger.info({ deliveryId, durationMs }, 'delivery.attempted')`. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  /** Someone must act. */
  error: LogMethod;
  fatal: LogMethod;
  child(fields: object): Logger;
}

export interface LoggerOptions {
  service: string;
  level: LogLevel;
  /** Standard output unless given. */
  destination?: DestinationStream;
}

const secretNames = [
  'authorization',
  'Authorization',
  'cookie',
  'password',
  'secret',
  'client_secret',
  'token',
];

/**
 * JSON lines. Errors under `err` are written as type, message, code, stack and causes, never with their other
 * properties: a client's error may carry the request with its headers.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ sync: true }),
  );
}

export interface ErrorDescription {
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
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack && { stack: error.stack }),
    ...(error.cause !== undefined && depth < maxCauses && { cause: describeError(error.cause, depth + 1) }),
  };
}
