import type { Metrics } from '@tocsin/kit';

/** Creates the metric of the sizes of batches. The label `stage` separates batches of fan-out, claims and records. */
export function createBatchMetrics(metrics: Metrics) {
  const batches = metrics.histogram({
    name: 'tocsin_batch_size',
    help: 'Number of items that one statement commits.',
    labels: ['stage'],
    buckets: [1, 2, 5, 10, 25, 50, 100, 200, 300],
  });
  return {
    batch: (stage: 'fan_out' | 'claim' | 'record', size: number) => batches.observe({ stage }, size),
  };
}

export type BatchMetrics = ReturnType<typeof createBatchMetrics>;
