import type { PublishAlert } from '../api/schemas.js';
import type { CallOptions } from '../api/transport.js';
import type { AlertPublisher } from './alert-publisher.js';

export interface CellPublisherOptions<Cell extends string> {
  /**
   * Publisher of each cell, by the name of the cell. A cell is one of several installations between which workspaces
   * are divided. Example: `createAmqpPublisher` with the broker of the cell.
   */
  cells: Readonly<Record<Cell, AlertPublisher>>;
  /** Cell of each workspace, by workspace id. */
  workspaces: Readonly<Record<string, NoInfer<Cell>>>;
  /** Cell of every workspace that is not in `workspaces`. */
  defaultCell: NoInfer<Cell>;
}

/**
 * Creates a publisher that sends each alert to the cell of its workspace. Each alert needs a `workspace_id`. `close`
 * closes the publishers of all cells.
 * @throws TypeError if `workspaces` names a cell that has no publisher
 */
export function createCellPublisher<Cell extends string>(
  options: CellPublisherOptions<Cell>,
): AlertPublisher {
  const { cells, workspaces, defaultCell } = options;
  const cellOf = new Map(Object.entries<Cell>(workspaces).map(([id, cell]) => [id.toLowerCase(), cell]));
  const unknown = Object.values<Cell>(workspaces).find((cell) => !Object.hasOwn(cells, cell));
  if (unknown !== undefined) throw new TypeError(`There is no publisher for the cell ${unknown}.`);
  return {
    async publish(alert: PublishAlert, callOptions?: CallOptions) {
      const { workspace_id: workspaceId } = alert;
      if (workspaceId === undefined)
        throw new TypeError('The alert needs a workspace_id, which decides its cell.');
      return cells[cellOf.get(workspaceId.toLowerCase()) ?? defaultCell].publish(alert, callOptions);
    },
    async close() {
      await Promise.all(Object.values<AlertPublisher>(cells).map((publisher) => publisher.close()));
    },
  };
}
