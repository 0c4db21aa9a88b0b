import type { Tx } from "./context.ts";
import { ofEach } from "./definitions/features.ts";

/** What the records of a feature keep from ending: whether a unit has some. Such a unit is not deleted (409 `UNIT_NOT_EMPTY`). */
export type Holds = { readonly unit?: (tx: Tx, unitId: string) => Promise<boolean> };

/**
 * What a feature does when something ends to which its records belong, in the transaction of that change and under its
 * locks.
 */
export type Ends = {
  readonly organization?: (tx: Tx, organizationId: string) => Promise<void>;
  readonly unit?: (tx: Tx, unitId: string) => Promise<void>;
  readonly member?: (tx: Tx, member: { organizationId: string; userId: string }) => Promise<void>;
  readonly user?: (tx: Tx, userId: string) => Promise<void>;
};

/** Whether a feature has records that keep a unit from being deleted. */
export async function isUnitHeld(tx: Tx, unitId: string): Promise<boolean> {
  for (const { unit } of ofEach<Holds>("holds")) if (await unit?.(tx, unitId)) return true;
  return false;
}

/** Tells every feature that something has ended. */
export async function endOf<What extends keyof Ends>(
  what: What,
  tx: Tx,
  ended: Parameters<NonNullable<Ends[What]>>[1],
): Promise<void> {
  for (const ends of ofEach<Ends>("ends"))
    await (ends[what] as ((tx: Tx, ended: unknown) => Promise<void>) | undefined)?.(tx, ended);
}
