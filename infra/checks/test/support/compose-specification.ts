import { Ajv } from 'ajv';

const text = { type: 'string' } as const;
const bytes = { type: 'string', pattern: '^\\d+(b|kb?|mb?|gb?)$' } as const;
const texts = { type: 'array', items: text } as const;
const duration = { type: 'string', pattern: '^(\\d+(us|ms|s|m|h))+$' } as const;
const flag = { type: 'boolean' } as const;
const scalar = { type: ['string', 'number', 'boolean', 'null'] } as const;

const service = {
  type: 'object',
  additionalProperties: false,
  anyOf: [{ required: ['image'] }, { required: ['build'] }],
  properties: {
    image: text,
    build: {
      type: 'object',
      additionalProperties: false,
      properties: { context: text, dockerfile: text, args: { type: 'object' }, target: text },
    },
    command: texts,
    entrypoint: texts,
    hostname: text,
    user: text,
    profiles: texts,
    mem_limit: bytes,
    tmpfs: texts,
    networks: texts,
    logging: {
      type: 'object',
      additionalProperties: false,
      required: ['driver'],
      properties: { driver: text, options: { type: 'object', additionalProperties: text } },
    },
    secrets: {
      type: 'array',
      items: {
        anyOf: [
          text,
          {
            type: 'object',
            additionalProperties: false,
            required: ['source', 'target'],
            properties: { source: text, target: text },
          },
        ],
      },
    },
    environment: { type: 'object', additionalProperties: scalar },
    ports: { type: 'array', items: { type: 'string', pattern: '^([\\d.]+:)?(\\d+:)?\\d+(/(tcp|udp))?$' } },
    volumes: { type: 'array', items: { type: 'string', pattern: '^[^:]+:/[^:]*(:(ro|rw))?$' } },
    depends_on: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['condition'],
        properties: {
          condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
        },
      },
    },
    healthcheck: {
      type: 'object',
      additionalProperties: false,
      properties: {
        test: { type: 'array', items: text, minItems: 2, contains: { enum: ['CMD', 'CMD-SHELL'] } },
        disable: flag,
        interval: duration,
        timeout: duration,
        start_period: duration,
        retries: { type: 'integer', minimum: 1 },
      },
    },
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    read_only: flag,
    cap_drop: texts,
    security_opt: texts,
    stop_grace_period: duration,
    stop_signal: text,
    // In the compose file the value is a variable, which is replaced by an integer before this check.
    scale: { type: 'integer', minimum: 0 },
    shm_size: bytes,
  },
} as const;

const check = new Ajv({ allErrors: true, allowUnionTypes: true }).compile({
  type: 'object',
  additionalProperties: false,
  required: ['services'],
  patternProperties: { '^x-': {} },
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    services: { type: 'object', additionalProperties: service },
    volumes: { type: 'object', additionalProperties: { type: ['object', 'null'] } },
    networks: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { internal: flag, driver_opts: { type: 'object', additionalProperties: text } },
      },
    },
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['file'],
        properties: { file: text },
      },
    },
  },
});

/**
 * Returns the problems of a compose file. The caller must first merge its anchors and substitute its variables. The
 * schema contains only the part of the Compose specification (https://compose-spec.io) that our file uses. If the
 * compose file uses a new key, add the key to the schema.
 */
export function faultsOfCompose(file: unknown): string[] {
  if (check(file)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
