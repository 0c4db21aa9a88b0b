import type { Level } from "./key-queue.ts";

export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;
export const MB = 1024 * 1024;

type Row = {
  /** The number of the rule in docs/rules.md. */
  readonly rule: string;
  /** What is limited, for docs/limits.md. */
  readonly text: string;
};
type Options = {
  /** The environment variable that sets the number; the row has its default. */
  readonly variable?: string;
  readonly unit?: "MB";
  /** `database`: counted by queries, for all instances together. By default each instance counts in its memory. */
  readonly store?: "database";
};

type Levels = { readonly [per: string]: Level };
export type RateRow = Row &
  Options & { readonly per: string; readonly points: number; readonly perSeconds: number };
export type PermitsRow = Row & Options & { readonly levels: Levels };
/** A row of the table of limits (src/app/limits.ts). */
export type LimitRow = RateRow | PermitsRow;

/** A row about how often: at most so many points in a time, for each key of a kind, such as "address". */
export const often = (
  rule: string,
  text: string,
  per: string,
  points: number,
  perSeconds: number,
  options: Options = {},
): RateRow => ({ rule, text, per, points, perSeconds, ...options });

/** A row about how much may run, wait or be in memory at once on an instance, by kinds of keys, the narrowest first. */
export const atOnce = <const L extends Levels>(
  rule: string,
  text: string,
  levels: L,
  options: Options = {},
) => ({
  rule,
  text,
  levels,
  ...options,
});
