/** The constants of the live stream (rules 17.7, 17.10), in one place, so that a test may shorten them. */
export type Timing = {
  /** Between two heartbeat comments. */
  heartbeatMs: number;
  /** From the access token's `exp` to the end of its stream. */
  afterExpiryMs: number;
  /** How long changes are gathered before unread notifications are counted for all of them at once. */
  debounceMs: number;
  /** The least time between two counts, so that a burst of changes costs a handful of queries. */
  betweenCountsMs: number;
  /** What the steps of reconnecting the change feed are multiplied by. */
  secondMs: number;
};

export const TIMING: Timing = {
  heartbeatMs: 25_000,
  afterExpiryMs: 1_000,
  debounceMs: 10,
  betweenCountsMs: 250,
  secondMs: 1_000,
};
