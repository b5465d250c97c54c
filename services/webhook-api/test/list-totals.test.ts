import { randomUUID } from 'node:crypto';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

const workspace = `/api/v1/workspaces/${workspaceId}`;

const api = useApi();

/** Returns the header with the total of a list of deliveries; null if the response has none. */
async function totalOfDeliveries(query: Record<string, string>): Promise<string | null> {
  const { headers } = await api.call('GET', `${workspace}/deliveries?${new URLSearchParams(query)}`, {
    as: 'reader',
  });
  return headers.get('x-total-count');
}

test('the total of a list is returned only if the request asks for it', async () => {
  const webhookId = randomUUID();
  for (let count = 0; count < 3; count += 1) await seedDelivery(api.database, { webhookId });
  const query = { webhook_id: webhookId, limit: '2' };
  const total = (more: Record<string, string>) => totalOfDeliveries({ ...query, ...more });
  expect([await total({}), await total({ count: 'false' }), await total({ count: 'true' })]).toEqual([
    null,
    null,
    '3',
  ]);
  expect(await total({ count: 'true', status: 'succeeded' })).toBe('0');
});

test.each(['webhooks', 'alert_rules', 'alerts', 'deliveries', 'redeliveries', 'dispatches', 'cancellations'])(
  'the list of %s can return its total',
  async (list) => {
    const path = `${workspace}/${list}?count=true`;
    const whole = await api.call<unknown[]>('GET', path, { as: 'admin' });
    const page = await api.call<unknown[]>('GET', `${path}&limit=1`, { as: 'admin' });
    expect(whole.headers.get('x-total-count')).toMatch(/^\d+$/);
    expect(page.headers.get('x-total-count')).toBe(whole.headers.get('x-total-count'));
  },
);

test('the total of a list with more than ten thousand entries is 10000+', async () => {
  const alert = { alertId: randomUUID(), acceptedAtMs: Date.now() - 60_000 };
  const webhookId = randomUUID();
  await seedDelivery(api.database, { ...alert, webhookId });
  const copy = (count: number) =>
    api.database.knex.raw(
      `insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                               destination, status, failed_at)
       select cast(left(id::text, 14) || right(gen_random_uuid()::text, 22) as uuid), workspace_id, alert_id,
              alert_record_id, alert_rule_id, webhook_id, webhook_name, destination, status, failed_at
       from deliveries, generate_series(1, ?) where webhook_id = ? and id in
         (select id from deliveries where webhook_id = ? limit 1)`,
      [count, webhookId, webhookId],
    );
  const total = () => totalOfDeliveries({ webhook_id: webhookId, count: 'true' });
  await copy(9_999);
  expect(await total()).toBe('10000');
  await copy(1);
  expect(await total()).toBe('10000+');
});
