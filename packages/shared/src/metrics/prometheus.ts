import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Labels, LabelValues, MetricDescription, Metrics, Reading } from './metrics.ts';

export interface PrometheusMetrics extends Omit<Metrics, 'stop'> {
  readonly contentType: string;
  /** The exposition: all of it, as of now. */
  text(): Promise<string>;
}

const OTHER = 'other';
/** A metric with fewer series than this shows all of them from the start, so that the first event is seen. */
const SHOWN_FROM_START = 64;
const READ_WITHIN_MS = 1_000;

/** Metrics in the format of Prometheus, with those of the process: memory, processor, event loop. */
export function prometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const common = <L extends string>({ name, help, labels }: MetricDescription<L>) => ({
    ...{ name, help, labelNames: Object.keys(labels) as L[] },
    registers: [registry],
  });
  return {
    measuring: true,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    counter(description) {
      const counter = new Counter(common(description));
      const seriesOf = closed(description.labels, (values) => counter.labels(values));
      for (const values of fewCombinations(description.labels)) seriesOf(values).inc(0);
      return (labels, by = 1) => seriesOf(labels).inc(by);
    },
    histogram(description, buckets) {
      const histogram = new Histogram({ ...common(description), buckets: [...buckets] });
      const seriesOf = closed(description.labels, (values) => histogram.labels(values));
      return (labels, value) => seriesOf(labels).observe(value);
    },
    gauge(description, read) {
      const isPlain = Object.keys(description.labels).length === 0;
      const gauge: Gauge<string> = new Gauge({
        ...common(description),
        async collect() {
          const readings = await inTime(read);
          gauge.reset();
          if (isPlain) gauge.remove({}); // The library begins a metric without labels at 0.
          for (const { labels, value } of readings) gauge.set(fitted(labels), value);
        },
      });
      const fitted = closed(description.labels, (values) => values);
    },
  };
}

/** What belongs to each combination of values; a value outside of its list is `other`. */
function closed<L extends string, T>(labels: Labels<L>, make: (values: LabelValues<L>) => T) {
  const names = Object.keys(labels) as L[];
  const known = new Map(names.map((name) => [name, new Set(labels[name])] as const));
  const made = new Map<string, T>();
  return (values: LabelValues<L>): T => {
    let key = '';
    for (const name of names) {
      const value = values[name];
      key += known.get(name)?.has(value) === true ? `${value}\n` : `${OTHER}\n`;
    }
    const found = made.get(key);
    if (found !== undefined) return found;
    const fitted = key.split('\n');
    const entries = names.map((name, index) => [name, fitted[index] ?? OTHER]);
    const fresh = make(Object.fromEntries(entries) as LabelValues<L>);
    made.set(key, fresh);
    return fresh;
  };
}

/** Every combination, where these are few. */
function fewCombinations<L extends string>(labels: Labels<L>): readonly LabelValues<L>[] {
  const lists = Object.entries<readonly string[]>(labels);
  const count = lists.reduce((product, [, values]) => product * values.length, 1);
  if (count > SHOWN_FROM_START) return [];
  return lists.reduce<Record<string, string>[]>(
    (rows, [name, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  ) as LabelValues<L>[];
}

/** Nothing where it fails or takes long: what one store knows must not keep back all others. */
async function inTime<L extends string>(
  read: () => readonly Reading<L>[] | Promise<readonly Reading<L>[]>,
): Promise<readonly Reading<L>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Reading<L>[]>((resolve) => {
    timer = setTimeout(() => resolve([]), READ_WITHIN_MS);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
