import { checkCanary, type Database, type SecretBox, writeFirstCanary } from '@tocsin/database';
import { AppError, type HealthCheck, type Shutdown } from '@tocsin/kit';

export interface KeyCheckDeps {
  database: Database;
  secretBox: SecretBox;
  shutdown: Pick<Shutdown, 'addInterval'>;
}

const checkEveryMs = 5_000;

/**
 * Checks every five seconds whether the keys decrypt the canary. Writes the canary if there is none. While the
 * database is unavailable, the last result stays valid, because an outage does not make the keys wrong.
 * @returns a check that rejects with an AppError while the keys are wrong
 */
export function startKeyCheck({ database, secretBox, shutdown }: KeyCheckDeps): HealthCheck {
  let fault: AppError | undefined;
  const update = async () => {
    try {
      if (!(await checkCanary(database, secretBox))) await writeFirstCanary(database, secretBox);
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
