import type { Queryable } from "#kit";
import { listPolicies } from "#sql/sign-on-policy";

/**
 * Returns a line for each organization that requires its own sign-in or a second factor, now or from an announced time on. After a
 * restore the operator compares them with what the organizations expect.
 */
export async function describePolicies(db: Queryable): Promise<string[]> {
  const policies = await listPolicies.run(undefined, db);
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
