import type { z } from "zod";
import { exactlyOne, notFound } from "#kit";
import { type Product, type ProductCall, theProduct } from "#kit/inside";
import { findLiveOrganization } from "#sql/access";
import { countUsage } from "#sql/product-api";
import { nextMonth } from "../billing/read.ts";
import type { UsageList } from "./changes-schemas.ts";
import { isPerMonth, limitsOf } from "./ledger.ts";

/** Returns what an organization uses of each limit of the manifest. @throws notFound */
export async function readUsage(
  { app, db }: ProductCall,
  organizationId: string,
): Promise<z.output<typeof UsageList>> {
  const [organization] = await findLiveOrganization.run({ id: organizationId }, db);
  if (organization === undefined) throw notFound();
  const names = Object.keys((theProduct() as Product).limits);
  const limits = await limitsOf({ app, db }, organizationId, names);
  const used = await Promise.all(
    names.map(async (limit) => {
      const wanted = { organizationId, limit, isPerMonth: isPerMonth(limit) };
      return Number(exactlyOne(await countUsage.run(wanted, db.lists)).used);
    }),
  );
  return names.map((limit, index) => ({
    limit,
    used: used[index] ?? 0,
    max: limits[limit] ?? null,
    resetsAt: isPerMonth(limit) ? nextMonth() : null,
  }));
}
