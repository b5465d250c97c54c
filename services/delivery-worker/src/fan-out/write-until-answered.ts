import { isDatabaseAway } from '@tocsin/database';
import type { Patience } from '../patience.js';
import type { FanOutRepository, PlannedAlert } from './fan-out-repository.js';

export interface WriteDeps {
  repository: FanOutRepository;
  patience: Patience;
}

/**
 * Writes until the database answers; the record ids that are there because of it. A try that is not answered may have
 * been committed, or may yet be, by a statement that lies frozen on the wire: the next one finds its rows and writes
 * nothing. All that was planned is told then, or nobody would announce what stands as queued before its lease has run
 * out; announcing what is another's, or is not there, costs a look at a row.
 */
export async function writeUntilAnswered(
  planned: PlannedAlert[],
  acceptedAtMs: number,
  { repository, patience }: WriteDeps,
): Promise<Set<string>> {
  if (planned.length === 0) return new Set();
  let mayBeWritten = false;
  const written = await patience.untilAnswered(async () => {
    try {
      return await repository.write(planned, acceptedAtMs);
    } catch (error) {
      mayBeWritten ||= isDatabaseAway(error);
      throw error;
    }
  });
  return mayBeWritten ? idsOf(planned) : written;
}

function idsOf(planned: PlannedAlert[]): Set<string> {
  return new Set(
    planned.flatMap(({ recordId, deliveries }) => [recordId, ...deliveries.map((delivery) => delivery.id)]),
  );
}
