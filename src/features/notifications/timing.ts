/** The constants of the live stream (rules 17.7, 17.10) in one object, so that tests can shorten them. */
export type Timing = {
  /** The time between two heartbeat comments of a stream. */
  heartbeatMs: number;
  /** The time from the access token's `exp` to the end of its stream. */
  afterExpiryMs: number;
  /** How long changes are collected before the unread notifications of all affected users are counted together. */
  debounceMs: number;
  /** The minimum time between two counts, so that a burst of changes causes only a few queries. */
  betweenCountsMs: number;
  /** A factor for the delays between reconnects of the change feed. */
  secondMs: number;
};

export const TIMING: Timing = {
  heartbeatMs: 25_000,
  afterExpiryMs: 1_000,
  debounceMs: 10,
  betweenCountsMs: 250,
  secondMs: 1_000,
};
