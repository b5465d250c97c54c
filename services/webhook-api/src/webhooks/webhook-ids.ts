import { maxWebhookIds } from '@tocsin/contracts';
import { type FieldError, invalidBody, isUuid } from '@tocsin/kit';

/**
 * Returns the webhook ids of a field in lower case and without duplicates. `path` is the JSON pointer of the field.
 * @throws AppError `validation_failed` if there are too many ids
 */
export function toWebhookIds(given: readonly string[], path: string): string[] {
  const ids = lowerCaseIds(given);
  if (ids.length > maxWebhookIds) throw invalidBody([tooManyWebhooksError(ids, path)]);
  return ids;
}

/**
 * Returns the errors of a field with webhook ids, in a body that the schema has rejected. Returns no error for a value
 * that is not a list of UUIDs, because the schema has already reported the value.
 */
export async function errorsOfWebhookIds(
  given: unknown,
  path: string,
  findUnknown: (ids: string[]) => Promise<string[]>,
): Promise<FieldError[]> {
  if (!Array.isArray(given) || !given.every(isUuid)) return [];
  const ids = lowerCaseIds(given);
  if (ids.length > maxWebhookIds) return [tooManyWebhooksError(ids, path)];
  const unknown = await findUnknown(ids);
  return unknown.length === 0 ? [] : [unknownWebhooksError(unknown, path)];
}

/** Returns the error for a field that names webhooks that do not exist or belong to another workspace. */
export function unknownWebhooksError(ids: readonly string[], path: string): FieldError {
  return { path, message: `must name webhooks of this workspace; unknown in it: ${ids.join(', ')}` };
}

function tooManyWebhooksError({ length }: readonly string[], path: string): FieldError {
  return { path, message: `must name at most ${maxWebhookIds} webhooks, and names ${length}` };
}

function lowerCaseIds(given: readonly string[]): string[] {
  return [...new Set(given.map((id) => id.toLowerCase()))];
}
