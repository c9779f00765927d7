/**
 * What a service counts and measures, for a monitoring system (docs/reasons/adr/0044-observation.md).
 *
 * Every label has a closed list of values, given when the metric is made: any other value is
 * counted as `other`. So no caller can make a metric grow, whatever it sends.
 */

/** The values that each label can have, besides `other`. */
export type Labels<L extends string> = Readonly<Record<L, readonly string[]>>;
export type LabelValues<L extends string> = Readonly<Record<L, string>>;

export interface MetricDescription<L extends string> {
  /** `cls_` and the unit last, such as `cls_http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels: Labels<L>;
}

export interface Reading<L extends string> {
  readonly labels: LabelValues<L>;
  readonly value: number;
}

export interface Metrics {
  /** False where nobody asks, and nothing is counted. */
  readonly measuring: boolean;
  counter<L extends string>(
    description: MetricDescription<L>,
  ): (labels: LabelValues<L>, by?: number) => void;
  /** @param buckets upper bounds, rising. */
  histogram<L extends string>(
    description: MetricDescription<L>,
    buckets: readonly number[],
  ): (labels: LabelValues<L>, value: number) => void;
  /**
   * Something that is read when somebody asks. What cannot be read, or not within a second, is left
   * out of the answer.
   */
  gauge<L extends string>(
    description: MetricDescription<L>,
    read: () => readonly Reading<L>[] | Promise<readonly Reading<L>[]>,
  ): void;
  /** Stops the port on which they are served. */
  stop(): Promise<void>;
}

/** Where nobody asks: nothing is counted. */
export const noMetrics: Metrics = {
  measuring: false,
  counter: () => () => undefined,
  histogram: () => () => undefined,
  gauge: () => undefined,
  stop: async () => undefined,
};

/** A gauge without labels; undefined is left out. */
export function oneValue(value: number | undefined): readonly Reading<never>[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}
