import { checkCanary, type Database, type SecretBox, writeFirstCanary } from '@tocsin/database';
import { AppError, type HealthCheck, type Shutdown } from '@tocsin/kit';

export interface KeyCheckDeps {
  database: Database;
  secrets: SecretBox;
  shutdown: Pick<Shutdown, 'addInterval'>;
}

const checkEveryMs = 5_000;

/**
 * Checks every five seconds that the keys decrypt the canary, and writes the canary where there is none. The last result
 * stays while the database is unavailable, so that keys count as wrong only when they are.
 * @returns a check that rejects with an AppError while the keys do not fit
 */
export function startKeyCheck({ database, secrets, shutdown }: KeyCheckDeps): HealthCheck {
  let fault: AppError | undefined;
  const update = async () => {
    try {
      if (!(await checkCanary(database, secrets))) await writeFirstCanary(database, secrets);
      fault = undefined;
    } catch (error) {
      if (error instanceof AppError) fault = error;
    }
  };
  void update();
  shutdown.addInterval(() => void update(), checkEveryMs);
  return async () => {
    if (fault !== undefined) throw fault;
  };
}
