import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A registry of its own for each service, so that two services can live in one process (a test). */
export interface Metrics {
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** `collect` sets the gauge anew at each scrape. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    collect?: (gauge: Gauge<L>) => void,
  ): Gauge<L>;
  /** `buckets` are upper bounds, in seconds for durations. */
  histogram<L extends string>(options: HistogramOptions<L>): Histogram<L>;
  /** The text exposition that Prometheus scrapes. */
  expose(): Promise<{ contentType: string; text: string }>;
}

interface HistogramOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
  buckets?: number[];
}

export function createMetrics({ service }: { service: string }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    gauge: <L extends string>(
      name: string,
      help: string,
      labels: readonly L[] = [],
      collect?: (gauge: Gauge<L>) => void,
    ) => {
      const gauge: Gauge<L> = new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        ...(collect && { collect: () => collect(gauge) }),
      });
      return gauge;
    },
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({ name, help, labelNames: labels, registers, ...(buckets && { buckets }) }),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
