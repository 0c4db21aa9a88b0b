import type { Tx } from "./context.ts";
import { ofEach } from "./definitions/features.ts";

/**
 * What the records of a feature keep from ending: whether a unit or a role has some. Such a unit is not deleted (409
 * `UNIT_NOT_EMPTY`), nor such a role (409 `ROLE_IN_USE`).
 */
export type Holds = {
  readonly unit?: (tx: Tx, unitId: string) => Promise<boolean>;
  readonly role?: (tx: Tx, role: { organizationId: string; roleId: string }) => Promise<boolean>;
};

/** Nothing, or how many connected apps ended. */
type Ended = Promise<void> | Promise<number>;

/**
 * What a feature does when something ends to which its records belong, in the transaction of that change and under its
 * locks.
 */
export type Ends = {
  readonly organization?: (tx: Tx, organizationId: string) => Ended;
  readonly unit?: (tx: Tx, unitId: string) => Ended;
  /**
   * Memberships of one person, in a number of statements that does not depend on theirs; while the person is still linked to their
   * units.
   */
  readonly memberships?: (tx: Tx, of: { userId: string; organizationIds: string[] }) => Ended;
  /** The identities of people at connections of an organization, or that of one person, other than with a membership. */
  readonly identities?: (tx: Tx, of: { connectionIds: string[]; userId?: string }) => Ended;
  /** The use of an address by an account, which has another one now. */
  readonly email?: (tx: Tx, userId: string) => Ended;
  readonly user?: (tx: Tx, userId: string) => Ended;
  /**
   * All sessions of an account, or all but one, because somebody else may have been in it, or may not act in it any more. A changed
   * password and a completed change of email do not call it.
   */
  readonly sessions?: (tx: Tx, userId: string) => Ended;
  /** The last second factor of an account, or a passkey. */
  readonly secondFactor?: (tx: Tx, userId: string) => Ended;
  /** A domain by which nobody joins any more: it lapsed, was removed, or joining by it was turned off. */
  readonly domain?: (tx: Tx, domain: { organizationId: string; domain: string }) => Ended;
  /** Connected apps that the changed policy of an organization does not cover. */
  readonly uncoveredApps?: (tx: Tx, organizationId: string) => Ended;
  /** The secrecy of an app's token, which somebody found and reported. */
  readonly tokenSecrecy?: (tx: Tx, token: string) => Ended;
};

/** Whether a feature has records that keep a unit from being deleted. */
export async function isUnitHeld(tx: Tx, unitId: string): Promise<boolean> {
  for (const { unit } of ofEach<Holds>("holds")) if (await unit?.(tx, unitId)) return true;
  return false;
}

/** Whether a feature has records that keep a role from being deleted. */
export async function isRoleHeld(tx: Tx, held: { organizationId: string; roleId: string }): Promise<boolean> {
  for (const { role } of ofEach<Holds>("holds")) if (await role?.(tx, held)) return true;
  return false;
}

/** Tells every feature that something has ended. Returns how many connected apps ended with it. */
export async function endOf<What extends keyof Ends>(
  what: What,
  tx: Tx,
  ended: Parameters<NonNullable<Ends[What]>>[1],
): Promise<number> {
  let count = 0;
  for (const ends of ofEach<Ends>("ends")) {
    const end = ends[what] as ((tx: Tx, ended: unknown) => Promise<number | undefined>) | undefined;
    count += (await end?.(tx, ended)) ?? 0;
  }
  return count;
}

/** What the audit event of an end says of the connected apps that ended with it (rules 46.54). */
export const withEndedApps = (count: number): { endedApps?: number } =>
  count > 0 ? { endedApps: count } : {};
