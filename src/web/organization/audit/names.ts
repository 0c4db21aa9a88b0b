import { useApiQuery, useCan } from "../../../client/react.ts";
import { type Event, type Names, peopleIn } from "../../ui/audit/names.ts";

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Loads the names of the records that events contain only by id.
 * @param hasUnits whether the units are needed even if no event is about a unit
 */
export function useNames(events: readonly Event[], hasUnits = false): Names {
  const [maySeeMembers, maySeeUnits, maySeeRoles] = [
    useCan("Members.Read"),
    useCan("Units.Read"),
    useCan("Roles.Read"),
  ];
  const people = peopleIn(events);
  const needsUnits =
    hasUnits ||
    events.some(({ targetType, metadata }) => targetType === "unit" || "parentId" in (metadata as Metadata));
  const needsRoles = events.some(
    ({ action, targetType }) => targetType === "role" || action === "ORGANIZATION_UPDATED",
  );
  const members = useApiQuery(
    "GET /api/members",
    { query: { member: people, pageSize: 100 } },
    { enabled: Boolean(maySeeMembers) && people.length > 0 },
  );
  const units = useApiQuery("GET /api/units", {}, { enabled: Boolean(maySeeUnits) && needsUnits });
  const roles = useApiQuery(
    "GET /api/roles",
    { query: { sort: "name" } },
    { enabled: Boolean(maySeeRoles) && needsRoles },
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
