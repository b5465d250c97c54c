import type { Metrics } from '@tocsin/kit';

/** Creates the metrics of the maintenance jobs. Their label `maintenance` is the name of the job. */
export function createMaintenanceMetrics(metrics: Metrics) {
  const succeededAt = metrics.gauge(
    'tocsin_maintenance_last_success_timestamp_seconds',
    'Time of the last success of a maintenance job, or of its start in this worker.',
    ['maintenance'],
  );
  const lastDuration = metrics.gauge(
    'tocsin_maintenance_last_duration_seconds',
    'Duration of the last successful run of a maintenance job.',
    ['maintenance'],
  );
  const archiveAge = metrics.gauge(
    'tocsin_archive_oldest_seconds',
    'Time for which the oldest expired table has waited for the command that archives it; 0 if none waits.',
  );
  return {
    archiveWaits: (seconds: number) => archiveAge.set(seconds),
    started: (job: string) => succeededAt.setToCurrentTime({ maintenance: job }),
    /** Removes the job's series, because another worker is the leader now and runs the job. */
    stopped(job: string) {
      succeededAt.remove({ maintenance: job });
      lastDuration.remove({ maintenance: job });
    },
    succeeded(job: string, durationSeconds: number) {
      succeededAt.setToCurrentTime({ maintenance: job });
      lastDuration.set({ maintenance: job }, durationSeconds);
    },
  };
}

export type MaintenanceMetrics = ReturnType<typeof createMaintenanceMetrics>;
