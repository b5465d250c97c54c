import { randomUUID } from 'node:crypto';
import {
  createdSigningSecretSchema,
  createSigningSecretSchema,
  type SigningSecret,
  signingSecretSchema,
} from '@tocsin/contracts';
import { recordId, type SecretBox } from '@tocsin/database';
import { signingSecretLocation } from '@tocsin/deliveries';
import { createSigningSecret } from '@tocsin/egress';
import { defineRoute, type Principal } from '@tocsin/identity';
import { AppError, type Route } from '@tocsin/kit';
import { idParams, notFound, ofResource } from '../api-route.js';
import { authorOf } from '../change.js';
import type { SigningSecretsRepository, StoredSigningSecret } from './signing-secrets-repository.js';
import type { StoredWebhook } from './stored-webhook.js';
import { type webhookLoader, webhookParams, webhookPath } from './webhook-path.js';

const collection = `${webhookPath}/signing_secrets`;
const tag = 'webhooks';
/** Maximum number of unexpired secrets of a webhook. Each request is signed with all of them. */
const maxSecrets = 5;

export interface SigningSecretRoutesDeps {
  repository: SigningSecretsRepository;
  load: ReturnType<typeof webhookLoader>;
  secretBox: SecretBox;
  now: () => Date;
}

export function signingSecretRoutes({
  repository,
  load,
  secretBox,
  now,
}: SigningSecretRoutesDeps): Route<Principal>[] {
  const access = ofResource('webhook_update', load);
  return [
    defineRoute({
      method: 'POST',
      path: collection,
      operationId: 'createSigningSecret',
      summary: 'Creates a signing secret of a webhook. Only this response contains it.',
      tag,
      access,
      params: webhookParams,
      body: createSigningSecretSchema,
      responses: { 201: { description: 'The secret.', schema: createdSigningSecretSchema } },
      problems: [404, 409],
      async handler({
        resource,
        body: { expire_others_after_seconds: expireOthersAfterSeconds },
        ...request
      }) {
        const secret = createSigningSecret();
        const id = recordId(now().getTime(), randomUUID());
        const outcome = await repository.create(
          resource,
          {
            id,
            secretEncrypted: secretBox.encrypt(
              secret,
              signingSecretLocation({ workspaceId: resource.workspaceId, id }),
            ),
          },
          { expireOthersAfterSeconds, max: maxSecrets, author: authorOf(request) },
        );
        if (outcome.kind === 'missing') throw notFound('webhook');
        if (outcome.kind === 'full')
          throw new AppError(
            'conflict',
            `A webhook can have ${maxSecrets} signing secrets; delete one first.`,
          );
        return { status: 201, body: { ...present(outcome.secret), secret } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: collection,
      operationId: 'listSigningSecrets',
      summary:
        'Lists the signing secrets of a webhook that have not expired, oldest first, without the secrets.',
      tag,
      access,
      params: webhookParams,
      responses: {
        200: { description: 'The secrets.', schema: { type: 'array', items: signingSecretSchema } },
      },
      problems: [404],
      handler: async ({ resource }) => ({
        status: 200,
        body: (await repository.list(resource.id)).map(present),
      }),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${collection}/{secret_id}`,
      operationId: 'deleteSigningSecret',
      summary: 'Deletes a signing secret, except the last one of a webhook that signs its requests.',
      tag,
      access,
      params: idParams('webhook_id', 'secret_id'),
      responses: { 204: { description: 'The secret is deleted.' } },
      problems: [404, 409],
      async handler({ resource, params, ...request }) {
        const outcome = await repository.delete(resource, params.secret_id.toLowerCase(), authorOf(request));
        if (outcome === 'missing') throw notFound('signing secret');
        if (outcome === 'last')
          throw new AppError(
            'conflict',
            'This is the last signing secret of a webhook that signs; create another one, or switch `signing` off.',
          );
        return { status: 204 };
      },
    }),
  ];
}

/**
 * Returns the decrypted secrets that sign a test of a webhook.
 * @throws AppError `undecryptable`
 */
export async function readSigningSecrets(
  webhook: StoredWebhook,
  { repository, secretBox }: Pick<SigningSecretRoutesDeps, 'repository' | 'secretBox'>,
): Promise<string[]> {
  const stored = await repository.list(webhook.id);
  return stored.map(({ id, secretEncrypted }) => {
    try {
      return secretBox
        .decrypt(secretEncrypted, signingSecretLocation({ workspaceId: webhook.workspaceId, id }))
        .toString('utf8');
    } catch {
      throw undecryptable(id, secretBox.keyIdOf(secretEncrypted));
    }
  });
}

function undecryptable(id: string, keyId: string): AppError {
  const detail = `A signing secret is encrypted with the key ${JSON.stringify(keyId)}, and cannot be decrypted: the key is not in SECRETS_KEYS, or the value was changed. Create another signing secret, and delete ${id}.`;
  return new AppError('undecryptable', detail, { extra: { key_id: keyId } });
}

function present({ id, createdAt, expiresAt }: StoredSigningSecret): SigningSecret {
  return { id, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() ?? null };
}
