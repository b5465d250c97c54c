/** Part of the initial schema: API keys of the engine. */
export const apiKeys = `
  create table api_keys (
    id uuid primary key,
    -- bcrypt hash of the secret part. The secret is stored in no other form.
    key_hash text not null,
    description text not null,
    is_active boolean not null default true,
    created_at timestamptz not null,
    created_by text not null,
    deactivated_at timestamptz
  );
  create index api_keys_active on api_keys (is_active) where is_active;
`;

/**
 * Part of the initial schema: the pipeline marker, with which the lag of the pipeline is measured, and the canary, with
 * which processes test their encryption keys.
 */
export const selfChecks = `
  -- Time of the newest marker that a worker has committed; at most one row. Its age is the lag of the pipeline.
  create table pipeline_marker (
    id boolean primary key default true check (id),
    marked_at timestamptz not null
  );

  -- A known value, encrypted with the current key; at most one row. A process that cannot decrypt it has the wrong
  -- SECRETS_KEYS.
  create table secrets_canary (
    id boolean primary key default true check (id),
    value_encrypted bytea not null
  );
`;
