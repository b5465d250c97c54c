import type { CreatedSigningSecret, SigningSecret, Webhook } from '@tocsin/client/browser';
import { useState } from 'react';
import { Permitted, useSigningSecretActions, useSigningSecrets, useWebhookActions } from '../api/index.js';
import { QueryState } from '../shared/query-state.js';
import {
  Button,
  Card,
  ConfirmButton,
  ExactTime,
  Failure,
  Notice,
  RelativeTime,
  SelectField,
  SwitchField,
} from '../ui/index.js';

/** Switches request signing on or off, and manages the signing secrets of a webhook. */
export function Signing({ webhook }: { webhook: Webhook }) {
  return (
    <Card title="Signing">
      <p className="muted">
        A signed request proves to the destination that it comes from here (Standard Webhooks: webhook-id,
        webhook-timestamp and webhook-signature).
      </p>
      <Permitted
        permission="webhook_update"
        what={
          webhook.signing
            ? 'Requests are signed. Managing the secrets'
            : 'Requests are not signed. Signing them'
        }
      >
        <SigningOfWebhook webhook={webhook} />
      </Permitted>
    </Card>
  );
}

function SigningOfWebhook({ webhook: { id, signing } }: { webhook: Webhook }) {
  const secrets = useSigningSecrets(id);
  const { update } = useWebhookActions();
  return (
    <>
      <SwitchField
        label={signing ? 'Requests are signed' : 'Requests are not signed'}
        accessibleLabel="Sign requests"
        isSelected={signing}
        isSaving={update.isPending}
        onChange={(isOn) => update.mutate({ id, changes: { signing: isOn } })}
      />
      {update.error !== null && <Failure error={update.error} />}
      <QueryState query={secrets} what="the secrets">
        {(data) => <Secrets webhookId={id} signing={signing} secrets={data} />}
      </QueryState>
    </>
  );
}

interface SecretsProps {
  webhookId: string;
  signing: boolean;
  secrets: readonly SigningSecret[];
}

/**
 * Maximum number of signing secrets that the API allows for a webhook. Each request is signed with all secrets that
 * have not expired.
 */
const maxSecrets = 5;

function Secrets({ webhookId, signing, secrets }: SecretsProps) {
  const { create, remove } = useSigningSecretActions(webhookId);
  const error = create.error ?? remove.error;
  return (
    <>
      {signing && secrets.length === 0 && (
        <Notice tone="bad">Deliveries wait, because this webhook has no signing secret. Create one.</Notice>
      )}
      {create.data !== undefined && <NewSecret secret={create.data} onStored={create.reset} />}
      {secrets.length > 0 && (
        <ul className="lines" aria-label="Signing secrets">
          {secrets.map((secret) => (
            <Secret
              key={secret.id}
              secret={secret}
              isLast={signing && secrets.length === 1}
              isDeleting={remove.isPending && remove.variables === secret.id}
              onDelete={() => remove.mutate(secret.id)}
            />
          ))}
        </ul>
      )}
      <CreateSecret
        count={secrets.length}
        isPending={create.isPending}
        onCreate={(expireOthersAfter) =>
          create.mutate(
            expireOthersAfter === undefined ? {} : { expire_others_after_seconds: expireOthersAfter },
          )
        }
      />
      {error !== null && <Failure error={error} />}
    </>
  );
}

/** Shows a new secret. The API returns the value of a secret only once, in the response that creates it. */
function NewSecret({ secret: { secret }, onStored }: { secret: CreatedSigningSecret; onStored(): void }) {
  const [copied, setCopied] = useState<'yes' | 'failed'>();
  const copy = () =>
    navigator.clipboard.writeText(secret).then(
      () => setCopied('yes'),
      () => setCopied('failed'),
    );
  return (
    <Notice tone="good">
      <p>Copy this secret to the destination now. It is not shown again.</p>
      <p>
        <code>{secret}</code>
      </p>
      <div className="row">
        <Button onPress={() => void copy()}>Copy</Button>
        <Button onPress={onStored}>Hide the secret</Button>
        <span role="status">
          {copied === 'yes' && 'Copied.'}
          {copied === 'failed' && 'The browser refused to copy it. Select the text.'}
        </span>
      </div>
    </Notice>
  );
}

interface SecretProps {
  secret: SigningSecret;
  /** True if requests are signed and this is the only secret, so it cannot be deleted. */
  isLast: boolean;
  isDeleting: boolean;
  onDelete(): void;
}

function Secret({ secret: { id, created_at, expires_at }, isLast, isDeleting, onDelete }: SecretProps) {
  const name = `Secret ${id.slice(-6)}`;
  return (
    <li>
      <span className="attach-name">
        <span>{name}</span>
        <span className="muted">
          created <RelativeTime at={created_at} />
          {expires_at !== null && (
            <>
              , signs until <ExactTime at={expires_at} />
            </>
          )}
        </span>
      </span>
      {isLast ? (
        <span className="muted">the only secret: it cannot be deleted while requests are signed</span>
      ) : (
        <ConfirmButton
          kind="danger"
          aria-label={`Delete ${name}`}
          title={`Delete ${name}?`}
          question="Requests are no longer signed with this secret. A destination that has only this secret will reject them."
          action="Delete"
          isPending={isDeleting}
          onConfirm={onDelete}
        >
          {isDeleting ? 'Deleting …' : 'Delete'}
        </ConfirmButton>
      )}
    </li>
  );
}

/**
 * Choices for the time, in seconds, after which the existing secrets expire when a new secret is created. With an empty
 * value, they do not expire.
 */
const rotations = [
  { value: '', label: 'keep signing' },
  { value: '3600', label: 'stop after 1 hour' },
  { value: '86400', label: 'stop after 1 day' },
  { value: '604800', label: 'stop after 7 days' },
  { value: '0', label: 'stop at once' },
];

interface CreateSecretProps {
  count: number;
  isPending: boolean;
  onCreate(expireOthersAfterSeconds: number | undefined): void;
}

/** Button that creates a secret. If the webhook already has secrets, the user also chooses when these expire. */
function CreateSecret({ count, isPending, onCreate }: CreateSecretProps) {
  const [rotation, setRotation] = useState('86400');
  const isFull = count >= maxSecrets && rotation !== '0';
  return (
    <div className="row hold">
      {count > 0 && (
        <SelectField label="Existing secrets" value={rotation} options={rotations} onChange={setRotation} />
      )}
      <Button
        isDisabled={isFull}
        isPending={isPending}
        onPress={() => onCreate(count === 0 || rotation === '' ? undefined : Number(rotation))}
      >
        {isPending ? 'Creating …' : count === 0 ? 'Create a secret' : 'Create a new secret'}
      </Button>
      {isFull && (
        <span className="muted">{`A webhook has ${maxSecrets} secrets at most. Delete one first.`}</span>
      )}
    </div>
  );
}
