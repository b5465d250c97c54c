/** Part of the initial schema: dead letters, and jobs of users. */
export const deadLettersAndJobs = `
  create table dead_letters (
    id uuid primary key,
    -- Workspace named in the message; null if the message names none or cannot be read.
    workspace_id uuid,
    reason text not null,
    detail text not null,
    queue text not null,
    routing_key text not null,
    -- The message, or the beginning of a large one. size_bytes is the size of the whole message.
    content bytea not null,
    size_bytes integer,
    -- Request id of the message, for the log lines after a requeue.
    request_id text,
    created_at timestamptz not null,
    requeued_at timestamptz,
    -- True if a notice has counted the dead letter.
    noticed boolean not null default false
  );
  create index dead_letters_waiting on dead_letters (id) where requeued_at is null;
  create index dead_letters_workspace on dead_letters (workspace_id, id) where workspace_id is not null;
  create index dead_letters_not_noticed on dead_letters (workspace_id, id)
    where not noticed and workspace_id is not null;

  -- A job processes many deliveries or alerts of a workspace. A worker carries it out page by page, and it continues
  -- after a restart.
  create table jobs (
    id uuid primary key,
    kind text not null check (kind in ('redelivery', 'dispatch', 'cancellation')),
    workspace_id uuid not null,
    filter jsonb not null,
    matched integer not null,
    done integer not null default 0,
    -- Rows with an id below the cursor are not processed yet. The job processes rows in descending order of their ids.
    cursor uuid not null,
    -- True if a cancellation has passed over deliveries that were being sent. The job then starts again when it reaches
    -- the end.
    revisit boolean not null default false,
    status text not null check (status in ('running', 'done', 'cancelled')),
    created_by text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index jobs_workspace on jobs (workspace_id, kind, id);
  create index jobs_running on jobs (id) where status = 'running';
`;

/** Part of the initial schema: audit events, which record the changes made by users and by the system. */
export const auditEvents = `
  -- Changes made by users and by the system. A row is written in the transaction of its change, and contains no field
  -- values.
  create table audit_events (
    -- The id begins with the time of the change.
    id uuid primary key,
    time timestamptz not null,
    -- Null if the resource belongs to no workspace.
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
  create index audit_events_time on audit_events (time);
`;

/** Part of the initial schema: settings of workspaces, and state of notices. */
export const noticesAndSettings = `
  create table workspace_settings (
    workspace_id uuid primary key,
    name text,
    -- Webhooks of the workspace that receive notices.
    notice_webhook_ids uuid[] not null default '{}',
    version integer not null default 1,
    updated_at timestamptz not null,
    last_updated_by text not null
  );

  -- State of notices: about failing webhooks, and about dead letters of a workspace.
  create table webhook_notices (
    webhook_id uuid primary key references webhooks (id) on delete cascade,
    -- Start of the failure that the last notice reported.
    failing_since timestamptz not null
  );
  create table dead_letter_notices (
    workspace_id uuid primary key,
    -- Dead letters with a smaller id are older than the first notice, and no notice counts them.
    first_id uuid not null,
    noticed_at timestamptz not null
  );
`;
