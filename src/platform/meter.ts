/** The labels of a metric. Each label has few possible values: never ids, and never text that a client sends. */
export type Labels = Record<string, string>;

/** Counts events and measures durations for the metrics. */
export interface Meter<Counter extends string = string, Duration extends string = string> {
  /** Increments a counter, by one or by `amount`. */
  count(name: Counter, labels?: Labels, amount?: number): void;
  /** Adds a duration to a histogram. */
  observe(name: Duration, seconds: number, labels?: Labels): void;
}

/** A meter that records nothing, for processes without metrics. */
export const noMeter: Meter = { count() {}, observe() {} };
