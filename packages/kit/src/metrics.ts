import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { readVersion } from './build-identity.js';
import { type HttpServer, listen } from './http/server.js';

/** Metrics of one service. Each service has its own registry, so that a test can run two services in one process. */
export interface Metrics {
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** `collect` updates the gauge at each scrape. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    collect?: (gauge: Gauge<L>) => void,
  ): Gauge<L>;
  /** `buckets` contains the upper bound of each bucket, in seconds if the histogram measures durations. */
  histogram<L extends string>(options: HistogramOptions<L>): Histogram<L>;
  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<{ contentType: string; text: string }>;
}

interface HistogramOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
  buckets?: number[];
}

/**
 * Interval in milliseconds of the timer that measures the lag of the event loop. Each measured value is the sum of this
 * interval and the lag. With prom-client's default of 10 ms, the timer takes 0.5 % of a core, more than everything else
 * in an idle service.
 */
const lagSampleMs = 100;

export function createMetrics({ service }: { service: string }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
  const registers = [registry];
  const buildInfo = { name: 'tocsin_build_info', help: 'Always 1.', labelNames: ['version'], registers };
  new Gauge(buildInfo).set({ version: readVersion() }, 1);
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

/** Serves `/metrics` on a separate port, which can stay private although the port of the API is public. */
export function serveMetrics(metrics: Metrics, address: { host: string; port: number }): Promise<HttpServer> {
  return listen(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const { contentType, text } = await metrics.expose();
    response.writeHead(200, { 'Content-Type': contentType }).end(text);
  }, address);
}
