import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listening } from '../http/listening.ts';
import type { Log } from '../log.ts';
import { type Metrics, noMetrics } from '../metrics/metrics.ts';
import type { PrometheusMetrics } from '../metrics/prometheus.ts';

/** Where metrics are served; undefined: nowhere. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Where one service's metrics are read: `/metrics` of a port that serves nothing else. */
export interface ServedMetrics extends Metrics {
  /** Undefined where they are not served. */
  readonly port: number | undefined;
}

const notServed: ServedMetrics = { ...noMetrics, port: undefined };

/**
 * Begins to measure and to serve, where an address is given. The library is loaded for it alone.
 *
 * @param manifest the `package.json` that says which build this is.
 * @throws {PortUnavailable}
 */
export async function openMetrics(
  address: MetricsAddress | undefined,
  service: string,
  manifest: URL,
  log: Log,
): Promise<ServedMetrics> {
  if (address === undefined) return notServed;
  const { prometheusMetrics } = await import('../metrics/prometheus.ts');
  const metrics = prometheusMetrics();
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const build = { service, version, node: process.version };
  metrics.gauge(
    {
      name: 'cls_build_info',
      help: 'Which build runs: always 1.',
      labels: { service: [service], version: [version], node: [process.version] },
    },
    () => [{ labels: build, value: 1 }],
  );
  const server = serverOf(metrics, log);
  const port = await listening(server, address);
  log.info({ port }, 'metrics are served');
  return {
    ...metrics,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serverOf(metrics: PrometheusMetrics, log: Log) {
  const limits = { headersTimeout: 5_000, requestTimeout: 5_000, maxHeaderSize: 8_192 };
  return createServer(limits, (request, response) => {
    request.resume();
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('see /metrics\n');
      return;
    }
    metrics.text().then(
      (text) => {
        response.writeHead(200, {
          'Content-Type': metrics.contentType,
          'Cache-Control': 'no-store',
        });
        response.end(request.method === 'HEAD' ? '' : text);
      },
      (err) => {
        log.error({ err }, 'metrics cannot be read');
        response.writeHead(500).end();
      },
    );
  });
}
