import { useApiQuery } from "../../client/react.ts";
import { type Event, type LinkedNames, peopleIn } from "../ui/audit/names.ts";
import type { AuditFilters } from "../ui/audit/search.ts";

const distinct = (ids: readonly (string | null | undefined)[]): string[] =>
  [...new Set(ids.flatMap((id) => id ?? []))].sort();

export function usePlatformNames(events: readonly Event[], filters: AuditFilters): LinkedNames {
  const { actorId, targetType, targetId, organization } = filters;
  const people = distinct([...peopleIn(events), actorId, targetType === "user" ? targetId : null]);
  const organizations = distinct([
    ...events.map(({ organizationId }) => organizationId),
    ...events.map((event) => (event.targetType === "organization" ? event.targetId : null)),
    organization,
  ]);
  const users = useApiQuery(
    "GET /api/users",
    { query: { member: people, pageSize: 100 } },
    { enabled: people.length > 0 },
  );
  const known = useApiQuery(
    "GET /api/organizations",
    { query: { organization: organizations, pageSize: 100 } },
    { enabled: organizations.length > 0 },
  );
  function person(userId: string) {
    const found = users.data?.data.find(({ id }) => id === userId);
    return found && `${found.firstName} ${found.lastName}`;
  }
  const organizationName = (wanted: string) => known.data?.data.find(({ id }) => id === wanted)?.name;
  return {
    person,
    // Units and roles have their names in the events: the platform has no page for them.
    unit: () => undefined,
    role: () => undefined,
    organization: organizationName,
    page(type, id) {
      if (type === "user" && person(id) !== undefined) return { to: `/platform/users/${id}` };
      if (type === "organization" && organizationName(id) !== undefined)
        return { to: `/platform/organizations/${id}` };
      return type === "ticket" ? { to: `/platform/tickets/${id}` } : undefined;
    },
  };
}
