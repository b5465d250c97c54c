/** Part of the initial schema. */
export const apiKeys = `
  create table api_keys (
    id uuid primary key,
    -- bcrypt hash of the secret part. Nothing else that is derived from the secret is stored.
    key_hash text not null,
    description text not null,
    is_active boolean not null default true,
    created_at timestamptz not null,
    created_by text not null,
    deactivated_at timestamptz
  );
  create index api_keys_active on api_keys (is_active) where is_active;
`;

/** Part of the initial schema: rows by which processes check the pipeline and their keys. */
export const selfChecks = `
  -- Time of the newest marker that a worker has committed; at most one row. The lag of the pipeline is its age.
  create table pipeline_marker (
    id boolean primary key default true check (id),
    marked_at timestamptz not null
  );

  -- A known value that the current key has encrypted; at most one row. A process that cannot decrypt it has the wrong
  -- SECRETS_KEYS.
  create table secrets_canary (
    id boolean primary key default true check (id),
    value_encrypted bytea not null
  );
`;
