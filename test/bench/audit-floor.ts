import type { SQL } from "bun";
import * as access from "#sql/access";
import * as audit from "#sql/audit";
import * as users from "#sql/people/accounts";
import * as units from "#sql/units";

const MAX_PEOPLE = 1_001;

type Query = { text: string; parameters: readonly string[] };
type Values = Record<string, unknown> & { roots: string[]; search: string | null };

/** The statements of reading the audit log, in their order, and nothing else. */
export function auditHandlers(lists: SQL): Record<string, (request: Request) => Promise<Response>> {
  const ask = ({ text, parameters }: Query, values: Record<string, unknown>) =>
    lists.unsafe(
      text,
      parameters.map((name) => values[name]),
    );
  return {
    async "/audit"(request) {
      const values: Values = JSON.parse(request.headers.get("x-filters") ?? "{}");
      // What is visible is found out first.
      if (values.roots.length > 0) {
        await ask(units.listUnitsIncludingDeleted, values);
        await ask(access.listCoveredUnits, { ...values, max: null });
        await ask(audit.listPeopleOfUnits, { ...values, ever: true, max: MAX_PEOPLE });
      }
      if (values.search !== null)
        await ask(users.listUsersByEmail, { ...values, withDeleted: true, max: MAX_PEOPLE });
      return Response.json(
        await Promise.all([ask(audit.listEvents, values), ask(audit.countEvents, values)]),
      );
    },
  };
}
