/** Part of the initial schema. */
export const deadLettersAndJobs = `
  create table dead_letters (
    id uuid primary key,
    -- Workspace that the message names; null if it names none, or cannot be read.
    workspace_id uuid,
    reason text not null,
    detail text not null,
    queue text not null,
    routing_key text not null,
    -- The message, or the beginning of a large one; size_bytes is the size of the whole message.
    content bytea not null,
    size_bytes integer,
    -- Kept so that a requeued message carries the id of its original request.
    request_id text,
    created_at timestamptz not null,
    requeued_at timestamptz,
    -- True: a notice has counted it.
    noticed boolean not null default false
  );
  create index dead_letters_waiting on dead_letters (id) where requeued_at is null;
  create index dead_letters_workspace on dead_letters (workspace_id, id) where workspace_id is not null;
  create index dead_letters_not_noticed on dead_letters (workspace_id, id)
    where not noticed and workspace_id is not null;

  -- Bulk work on a workspace's deliveries or alerts: a job that a worker carries out page by page and that survives
  -- restarts.
  create table jobs (
    id uuid primary key,
    kind text not null check (kind in ('redelivery', 'dispatch', 'cancellation')),
    workspace_id uuid not null,
    filter jsonb not null,
    matched integer not null,
    done integer not null default 0,
    -- Rows with an id below the cursor are not processed yet. The job goes from high ids to low ids.
    cursor uuid not null,
    -- A cancellation has passed deliveries that were being sent, and starts once more at its end.
    revisit boolean not null default false,
    status text not null check (status in ('running', 'done', 'cancelled')),
    created_by text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index jobs_workspace on jobs (workspace_id, kind, id);
  create index jobs_running on jobs (id) where status = 'running';
`;

/** Part of the initial schema. */
export const auditEvents = `
  -- Changes by users and by the system. A row is written in the transaction of its change, and holds no value of it.
  create table audit_events (
    -- The id begins with the time.
    id uuid primary key,
    time timestamptz not null,
    -- Null for resources outside workspaces.
    workspace_id uuid,
    principal text not null,
    principal_name text not null,
    action text not null,
    resource_type text not null,
    resource_id uuid not null,
    changed_fields text[] not null,
    request_id text
  );
  create index audit_events_workspace on audit_events (workspace_id, id);
  create index audit_events_resource on audit_events (resource_id, id);
  create index audit_events_time on audit_events using brin (time);
`;

/** Part of the initial schema. */
export const noticesAndSettings = `
  create table workspace_settings (
    workspace_id uuid primary key,
    name text,
    -- Webhooks of the workspace that are called for notices.
    notice_webhook_ids uuid[] not null default '{}',
    version integer not null default 1,
    updated_at timestamptz not null,
    last_updated_by text not null
  );

  -- Times of the last notices: about a webhook that fails, and about dead letters of a workspace.
  create table webhook_notices (
    webhook_id uuid primary key references webhooks (id) on delete cascade,
    -- First failure after the last success, which the notice named.
    failing_since timestamptz not null
  );
  create table dead_letter_notices (
    workspace_id uuid primary key,
    -- Dead letters before this id are older than the first notice, and are in none.
    first_id uuid not null,
    noticed_at timestamptz not null
  );
`;
