import { deliveryStatsSchema, statsSteps, time, uuid } from '@tocsin/contracts';
import { defineRoute, type Principal } from '@tocsin/identity';
import { invalidQuery, type Route } from '@tocsin/kit';
import { type ApiDeps, apiPrefix, inWorkspace, workspaceParams } from '../api-route.js';
import { createDeliveryStatsReader } from './delivery-stats-reader.js';
import { type StatsRange, statsRange, stepMs } from './stats-range.js';
import { summarizeStats } from './summarize-stats.js';

/** Maximum number of entries with `group_by=webhook`, enough for the default range (25 steps) of 1,000 webhooks. */
const maxEntries = 30_000;

export function deliveryStatsRoutes({ database, listLimiter, now }: ApiDeps): Route<Principal>[] {
  const reader = createDeliveryStatsReader(database);
  return [
    defineRoute({
      method: 'GET',
      path: `${apiPrefix}/workspaces/{workspace_id}/delivery_stats`,
      operationId: 'getDeliveryStats',
      summary: 'Counts the deliveries of a workspace by time step, with the latency of the succeeded ones.',
      description:
        'The steps contain the whole time from `since` to `until`; at most 1,500 steps, and 30,000 entries with `group_by=webhook`.',
      tag: 'deliveries',
      access: inWorkspace('delivery_read'),
      params: workspaceParams,
      query: {
        type: 'object',
        additionalProperties: false,
        properties: {
          since: { ...time, description: 'Start of the time range. Default: 24 hours before `until`.' },
          until: { ...time, description: 'End of the time range. Default: now.' },
          step: { type: 'string', enum: statsSteps, description: 'Length of a step. Default: `hour`.' },
          webhook_id: { ...uuid, description: 'Counts the deliveries of this webhook only.' },
          group_by: { type: 'string', enum: ['webhook'], description: 'Counts each webhook separately.' },
        },
      },
      responses: { 200: { description: 'The counts.', schema: deliveryStatsSchema } },
      problems: [503],
      isShareable: () => true,
      async handler({ resource: { workspaceId }, query }) {
        const webhookId = query.webhook_id?.toLowerCase();
        const byWebhook = query.group_by === 'webhook';
        const range = statsRange(query, now());
        const body = await listLimiter.run(workspaceId, async () => {
          const webhookIds = webhookId === undefined ? undefined : [webhookId];
          const grouped =
            webhookIds ?? (byWebhook ? await reader.findWebhooks(workspaceId, range) : undefined);
          const rows = await reader.read({
            workspaceId,
            webhookIds: grouped,
            limit: maxEntries + 1,
            ...range,
          });
          if (byWebhook) requireWithinEntries(rows, range);
          const oldestMs = await reader.oldestOpenMs({ workspaceId, webhookId });
          return {
            steps: summarizeStats(rows, { ...range, byWebhook }),
            oldest_open_at: oldestMs === undefined ? null : new Date(oldestMs).toISOString(),
          };
        });
        return { status: 200, body };
      },
    }),
  ];
}

function requireWithinEntries(
  rows: readonly { webhookId: string }[],
  { step, fromMs, toMs }: StatsRange,
): void {
  const webhooks = new Set(rows.map(({ webhookId }) => webhookId)).size;
  const entries = (webhooks * (toMs - fromMs)) / stepMs(step);
  if (entries <= maxEntries && rows.length <= maxEntries) return;
  const message = `gives more than ${maxEntries} entries for ${webhooks} webhooks: take a longer step`;
  throw invalidQuery([{ path: 'step', message }]);
}
