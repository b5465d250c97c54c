import type { PublishAlert } from '../api/schemas.js';
import type { AlertPublisher, FiredAlert } from './alert-publisher.js';
import { createCellPublisher } from './cell-publisher.js';

const inB = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a12';
const elsewhere = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';

function start() {
  const events: string[] = [];
  const publisher = (cell: string): AlertPublisher => ({
    async publish(alert) {
      events.push(`${cell} ${alert.workspace_id}`);
      return alert as FiredAlert;
    },
    async close() {
      events.push(`${cell} closed`);
    },
  });
  const cells = { a: publisher('a'), b: publisher('b') };
  return { events, cells };
}

const alertIn = (workspaceId?: string) => ({ workspace_id: workspaceId }) as PublishAlert;

test('an alert is published to the cell of its workspace, or to the default cell if none is set', async () => {
  const { events, cells } = start();
  const publisher = createCellPublisher({ cells, workspaces: { [inB]: 'b' }, defaultCell: 'a' });
  await publisher.publish(alertIn(inB));
  await publisher.publish(alertIn(inB.toUpperCase()));
  await publisher.publish(alertIn(elsewhere));
  expect(events).toEqual([`b ${inB}`, `b ${inB.toUpperCase()}`, `a ${elsewhere}`]);
});

test('an alert without a workspace id is rejected', async () => {
  const { events, cells } = start();
  const publisher = createCellPublisher({ cells, workspaces: {}, defaultCell: 'a' });
  await expect(publisher.publish(alertIn())).rejects.toThrow('workspace_id');
  expect(events).toEqual([]);
});

test('close closes the publishers of all cells', async () => {
  const { events, cells } = start();
  await createCellPublisher({ cells, workspaces: {}, defaultCell: 'a' }).close();
  expect(events).toEqual(['a closed', 'b closed']);
});

test('creating a cell publisher fails if a workspace names a cell that has no publisher', () => {
  const { cells } = start();
  const workspaces = { [inB]: 'c' as 'a' };
  expect(() => createCellPublisher({ cells, workspaces, defaultCell: 'a' })).toThrow(
    'no publisher for the cell c',
  );
});
