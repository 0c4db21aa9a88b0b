import type { Level } from "../../platform/limits/permits.ts";

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
) => ({ rule, text, levels, ...options });

const DATABASE = { store: "database" } as const;
const KEYED = "requests with an `Idempotency-Key`";
const WRONG_CODES = "wrong codes at sign-in";

/**
 * The limits of the whole service. Features declare theirs in their own `limits.ts`; src/app/limits.ts has all of
 * them, and docs/limits.md shows them.
 */
export const LIMITS = {
  calls: often("23.11", "calls of one public route of sign-in", "address", 5, MINUTE, {
    variable: "THROTTLE_LIMIT",
  }),
  keyedRequests: often("27.9", KEYED, "user", 1_000, HOUR),
  keyedRequestsOfMachines: often("27.9", KEYED, "service account", 10_000, HOUR),
  // NIST SP 800-63B allows 100 failures in a row and then requires more than a wait. Here the count starts again after
  // an hour, so that no user needs an administrator: at most 2,400 guesses a day. One address may use a fifth of it, so
  // that a single client cannot use all of it.
  failedSignIns: often("5.15", "failed sign-ins", "email", 100, HOUR, DATABASE),
  failedSignInsFromAddress: often("5.15", "failed sign-ins", "email and address", 20, HOUR, DATABASE),
  // The wait grows: with ten in 15 minutes alone, an attacker who knows the password could guess 960 codes a day.
  wrongCodes: often("7.4", WRONG_CODES, "user", 10, 15 * MINUTE, DATABASE),
  wrongCodesInTwoHours: often("7.4", WRONG_CODES, "user", 20, 2 * HOUR, DATABASE),
  wrongCodesInADay: often("7.4", WRONG_CODES, "user", 40, DAY, DATABASE),
  confirmations: often("9.5", "passwords and codes in the profile", "user", 10, 15 * MINUTE, DATABASE),
  imageBytes: often("21.2", "images as stored, deleted ones included", "user", 100 * MB, DAY, {
    ...DATABASE,
    unit: "MB",
  }),

  failingCalls: atOnce(
    "23.11",
    "calls of a route of which only those that fail count: as many as may still fail",
    { address: { max: Infinity, waiting: 100 } },
  ),
  // Writes of one organization often wait for the same lock. Without a limit they would use all connections meanwhile.
  writes: atOnce("23.13", "writes", {
    person: { max: 2, waiting: 64 },
    organization: { max: 4, waiting: 128 },
    product: { max: 6, waiting: 512 },
  }),
  // An overview reads as much as some twenty lists.
  lists: atOnce("23.9", "lists and overviews", {
    person: { max: 2, waiting: 64 },
    account: { max: 2, waiting: 16 },
    overviews: { max: 1, waiting: 16 },
    organization: { max: 3, waiting: Infinity },
  }),
  // These reads are fast. The limit prevents one account from filling the queues that it shares with others.
  reads: atOnce("23.9", "reads that are neither list nor export", { account: { max: 4, waiting: Infinity } }),
  exports: atOnce("23.9", "exports, until they have been read", {
    person: { max: 1 },
    organization: { max: 2 },
    account: { max: 2 },
  }),
  // At 10 ms a hash, the queue of an instance takes two seconds. Re-authentications may use half of it, so that they
  // cannot keep others from signing in.
  hashes: atOnce("23.4", "password hashes, one for each core", {
    signIns: { max: Infinity, waiting: Infinity },
    reauthentications: { max: Infinity, waiting: 100 },
    account: { max: Infinity, waiting: 2 },
    instance: { max: Infinity, waiting: 200 },
  }),
  // Small bodies have memory of their own, so that large ones cannot keep them out.
  jsonBodies: atOnce(
    "23.3",
    "JSON bodies that arrive",
    { address: { max: 4 * MB }, small: { max: 8 * MB }, large: { max: 56 * MB } },
    { unit: "MB" },
  ),
  // No limit of an address: the payment provider uses few of them.
  webhookBodies: atOnce(
    "23.3",
    "webhooks of the payment provider that arrive",
    { small: { max: MB }, large: { max: 32 * MB } },
    { unit: "MB" },
  ),
  // Those of an account are five forms, more than the daily quota of images, so that no account keeps others out.
  forms: atOnce(
    "23.3",
    "forms that arrive or are processed",
    { account: { max: 130 * MB }, instance: { max: 320 * MB } },
    { unit: "MB" },
  ),
};
