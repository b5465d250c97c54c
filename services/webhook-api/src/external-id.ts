import { lockName, type Transaction } from '@tocsin/database';
import { AppError } from '@tocsin/kit';

const tables = { webhook: 'webhooks', 'alert rule': 'alert_rules' } as const;

/**
 * Throws if a resource of the same kind in the workspace already has the external id. It must not be called for an
 * unchanged external id, because it would find the resource itself. A lock until the end of the transaction prevents
 * other transactions from writing the external id after the check.
 * @throws AppError `conflict` that names the resource with the external id
 */
export async function requireFreeExternalId(
  trx: Transaction,
  kind: keyof typeof tables,
  { workspaceId, externalId }: { workspaceId: string; externalId: string | null },
): Promise<void> {
  if (externalId === null) return;
  const table = tables[kind];
  await lockName(trx, `${table}/external_id/${workspaceId}`);
  const owner: { id: string; name: string } | undefined = await trx(table)
    .select('id', 'name')
    .where({ workspace_id: workspaceId, external_id: externalId })
    .first();
  if (owner === undefined) return;
  const detail = `The external_id ${JSON.stringify(externalId)} belongs to the ${kind} ${JSON.stringify(owner.name)} (${owner.id}).`;
  throw new AppError('conflict', detail, { extra: { owner } });
}
