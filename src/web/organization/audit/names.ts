import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";

/** Returns names for the ids in events. Only records that exist and that the caller may read have names. */
export type Names = {
  readonly person: (id: string) => string | undefined;
  readonly unit: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
};

type Metadata = Readonly<Record<string, unknown>>;

/** Loads the names of the records that events contain only by id. */
export function useNames(events: readonly Schemas["AuditEvent"][]): Names {
  const [maySeeMembers, maySeeUnits, maySeeRoles] = [
    useCan("Members.Read"),
    useCan("Units.Read"),
    useCan("Roles.Read"),
  ];
  const people = [
    ...new Set(
      events.flatMap(({ targetType, targetId }) => (targetType === "user" && targetId ? [targetId] : [])),
    ),
  ].sort();
  const hasUnits = events.some(
    ({ targetType, metadata }) => targetType === "unit" || "parentId" in (metadata as Metadata),
  );
  const hasRoles = events.some(
    ({ action, targetType }) => targetType === "role" || action === "ORGANIZATION_UPDATED",
  );
  const members = useApiQuery(
    "GET /api/members",
    { query: { member: people, pageSize: 50 } },
    { enabled: Boolean(maySeeMembers) && people.length > 0 },
  );
  const units = useApiQuery("GET /api/units", {}, { enabled: Boolean(maySeeUnits) && hasUnits });
  const roles = useApiQuery(
    "GET /api/roles",
    { query: { sort: "name" } },
    { enabled: Boolean(maySeeRoles) && hasRoles },
  );
  const person = members.data?.data;
  return {
    person(id) {
      const found = person?.find(({ userId }) => userId === id);
      return found && `${found.firstName} ${found.lastName}`;
    },
    unit: (id) => units.data?.data.find((unit) => unit.id === id)?.name,
    role: (id) => roles.data?.data.find((role) => role.id === id)?.name,
  };
}
