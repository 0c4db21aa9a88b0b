/** The labels of a metric and their values, of which there are few: never an id, and nothing that a client makes up. */
export type Labels = Record<string, string>;

/** Where work says what happened, for whoever reads the metrics. Without metrics it costs a call. */
export interface Meter<Counter extends string = string> {
  /** Counts one more. */
  count(name: Counter, labels?: Labels): void;
}

/** Forgets all. */
export const noMeter: Meter = { count() {} };
