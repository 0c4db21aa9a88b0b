import { lockOrganization, lockOrganizationShared, planLimitReached, type Tx } from "#kit";
import { type ProductCall, theProduct } from "#kit/inside";
import * as queries from "#sql/product-api";
import { effectivePlan } from "../../core/plans/effective-plan.ts";
import type { Changes } from "./changes-schemas.ts";

type Usage = Changes["usage"];
type Limits = Readonly<Record<string, number | null>>;

/** What a report did to the ledger, in its transaction. */
export type Ledger = {
  /** The limits of the report, each once, as they are now. */
  usage: { limit: string; used: number; max: number | null }[];
  /** Whether it counts something and raises nothing. */
  onlyLowers: boolean;
  /** @throws planLimitReached */
  assertWithinLimits(): void;
};

export const isPerMonth = (limit: string): boolean => theProduct()?.limits[limit]?.per === "month";

/**
 * Returns what the plan allows of the limits of a report, under the organization's lock, so that every report is before
 * the deletion of its organization, or finds none. Reports with usage are written one after the other: the plan under the
 * lock decides, and two of them that set and delete the same rows do not wait for each other.
 */
export async function lockedLimits(
  tx: Tx<ProductCall>,
  organizationId: string,
  usage: Usage,
): Promise<Limits> {
  const names = [...new Set(usage.map(({ limit }) => limit))];
  await (usage.length > 0 ? lockOrganization : lockOrganizationShared)(tx, organizationId);
  return limitsOf(tx, organizationId, names);
}

/** Sets amounts in the ledger. What was written is rolled back if it is refused. */
export async function recordUsage(
  tx: Tx<ProductCall>,
  organizationId: string,
  usage: Usage,
  limits: Limits,
): Promise<Ledger> {
  if (usage.length === 0) return { usage: [], onlyLowers: false, assertWithinLimits: () => {} };
  const given = usage.map(({ limit, id, amount }) => ({ limit, id, amount, per_month: isPerMonth(limit) }));
  const rows = await queries.setUsage.run({ organizationId, given: { usage: given } as never }, tx.db);
  const changed = usage.map(({ limit, amount, enforce }, index) => {
    const { before, counts } = rows[index] as (typeof rows)[number];
    return { limit, enforce, isRaised: amount > before, change: counts ? amount - before : 0 };
  });
  const sum = (changes: typeof changed) => changes.reduce((total, { change }) => total + change, 0);
  const totals = Object.keys(limits).map((limit) => {
    const own = changed.filter((one) => one.limit === limit);
    const before = rows.find((row) => row.limit === limit)?.used ?? 0;
    const raisedBy = sum(own.filter(({ enforce }) => enforce));
    return { limit, before, raisedBy, used: before + sum(own), max: limits[limit] ?? null };
  });
  return {
    usage: totals.map(({ limit, used, max }) => ({ limit, used, max })),
    onlyLowers: changed.every(({ isRaised }) => !isRaised),
    assertWithinLimits() {
      const over = totals.find(
        ({ max, raisedBy, before, used }) => max !== null && raisedBy > 0 && used > before && used > max,
      );
      if (over === undefined) return;
      tx.app.meter.count("product_changes_total", { outcome: "limit_reached" });
      throw planLimitReached({ limit: over.limit as never, max: over.max as number, used: over.before });
    },
  };
}

/** Returns what the plan of an organization allows of these limits; null is unlimited. */
export async function limitsOf(
  { app, db }: Pick<Tx<ProductCall>, "app" | "db">,
  organizationId: string,
  names: string[],
): Promise<Limits> {
  if (names.length === 0) return {};
  const limits = (await effectivePlan(app, db, organizationId))?.plan.limits ?? {};
  return Object.fromEntries(names.map((name) => [name, limits[name] ?? null]));
}
