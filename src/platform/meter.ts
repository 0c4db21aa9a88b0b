/** The labels of a metric. Each label has few possible values: never ids, and never text that a client sends. */
export type Labels = Record<string, string>;

/** Counts events for the metrics. */
export interface Meter<Counter extends string = string> {
  /** Increments a counter, by one or by `amount`. */
  count(name: Counter, labels?: Labels, amount?: number): void;
}

/** A meter that counts nothing, for processes without metrics. */
export const noMeter: Meter = { count() {} };
