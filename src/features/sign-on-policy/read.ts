import type { z } from "zod";
import { forbidden, list, ORG_ADMIN, type OrganizationCall, type Queryable } from "#kit";
import * as queries from "#sql/sign-on-policy";
import type { AffectedMember, AffectedQuery, Scope, SignOnPolicy } from "./schemas.ts";

/** What an organization asks, without its break-glass members. */
export type StoredPolicy = {
  scope: Scope;
  requireTwoFactor: boolean;
  announced: { scope: Scope; requireTwoFactor: boolean; enforceFrom: Date } | null;
  maxSessionHours: number | null;
  reauthenticationMinutes: number | null;
  version: number;
  updatedAt: Date | null;
};

const DEFAULT: StoredPolicy = {
  ...{ scope: "off", requireTwoFactor: false, announced: null, maxSessionHours: null },
  ...{ reauthenticationMinutes: null, version: 0, updatedAt: null },
};

/** Returns the policy of an organization: what holds now, and what is announced for later. */
export async function findPolicy(db: Queryable, organizationId: string): Promise<StoredPolicy> {
  const [row] = await queries.findStoredPolicy.run({ organizationId }, db);
  if (row === undefined) return DEFAULT;
  const { scope, announcedScope, announcedTwoFactor, enforceFrom, ...rest } = row;
  const announced =
    announcedScope === null || announcedTwoFactor === null || enforceFrom === null
      ? null
      : { scope: announcedScope as Scope, requireTwoFactor: announcedTwoFactor, enforceFrom };
  return { ...rest, scope: scope as Scope, announced };
}

export const listBreakGlass = (db: Queryable, organizationId: string) =>
  queries.listBreakGlassMembers.run({ organizationId, adminRoleId: ORG_ADMIN.id }, db);

/** Returns the policy as the API shows it. */
export async function showPolicy(
  db: Queryable,
  organizationId: string,
): Promise<z.output<typeof SignOnPolicy>> {
  const { announced, updatedAt, ...policy } = await findPolicy(db, organizationId);
  const breakGlass = await listBreakGlass(db, organizationId);
  return {
    ...policy,
    announced: announced && { ...announced, enforceFrom: announced.enforceFrom.toISOString() },
    breakGlass: breakGlass.map(({ id, email, isUsable }) => ({ userId: id, email, usable: isUsable })),
    updatedAt: updatedAt?.toISOString() ?? null,
  };
}

/** Lists the members who could not act under a policy as things stand: the given one, otherwise the announced or present one. @throws forbidden without `Members.Read` for the whole organization */
export async function listAffected(call: OrganizationCall, query: z.output<typeof AffectedQuery>) {
  const { db, organizationId, permissions } = call;
  if (!permissions.holdsEverywhere(["Members.Read"])) throw forbidden();
  const policy = await findPolicy(db.lists, organizationId);
  const { scope, requireTwoFactor } = policy.announced ?? policy;
  const wanted = {
    scope: query.scope ?? scope,
    requireTwoFactor: query.requireTwoFactor ?? requireTwoFactor,
  };
  return list(queries.affectedMembers, call, { ...query, ...wanted, organizationId }, present);
}

type Row = Awaited<ReturnType<typeof queries.affectedMembers.page.run>>[number];
const present = ({ userId, email, firstName, lastName, reasons }: Row): z.output<typeof AffectedMember> => ({
  ...{ userId, email, firstName, lastName },
  reasons: reasons as z.output<typeof AffectedMember>["reasons"],
});

/**
 * Returns a line for each organization that requires its own sign-in or a second factor, now or from an announced time on. After a
 * restore the operator compares them with what the organizations expect.
 */
export async function describePolicies(db: Queryable): Promise<string[]> {
  const policies = await queries.listPolicies.run(undefined, db);
  return policies.map(
    ({ name, scope, requireTwoFactor, announcedScope, announcedTwoFactor, enforceFrom }) =>
      `Sign-on policy of ${name}: ${textOf(scope, requireTwoFactor)}` +
      (enforceFrom
        ? `; from ${enforceFrom.toISOString()} on ${textOf(announcedScope, announcedTwoFactor)}`
        : ""),
  );
}

const textOf = (scope: string | null, requiresTwoFactor: boolean | null) =>
  `single sign-on ${scope}, second factor ${requiresTwoFactor ? "required" : "as in the service"}`;
