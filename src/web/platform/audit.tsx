import { getRouteApi } from "@tanstack/react-router";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useDeclaredActions } from "../lib/features.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { useOptionSearch } from "../lib/search-options.ts";
import { actionTexts } from "../texts/audit.ts";
import { logTexts, platformActionTexts } from "../texts/audit-log.ts";
import { EventLog } from "../ui/audit/event-log.tsx";
import { Export } from "../ui/audit/export.tsx";
import { type Event, type LinkedNames, peopleIn } from "../ui/audit/names.ts";
import { type AuditFilters, auditFilters, type FilterChange, queryOf } from "../ui/audit/search.ts";
import { Page } from "../ui/page.tsx";
import { SearchSelect } from "../ui/search-select.tsx";

const route = getRouteApi("/authenticated/platform/audit");

export function PlatformAudit() {
  const texts = useTexts(logTexts);
  const actions = { ...useTexts(actionTexts), ...useTexts(platformActionTexts), ...useDeclaredActions() };
  const client = useClient();
  const filters = auditFilters(route.useSearch());
  const query = queryOf(filters);
  const list = useList("GET /api/audit-events", { sort: "time", order: "desc", ...query });
  const names = usePlatformNames(list.rows ?? [], filters);
  const { order, search } = list.search;
  return (
    <Page
      title={texts.platformAudit}
      about={texts.platformAbout}
      actions={
        <Export
          load={(format) =>
            client.request("GET /api/audit-events/export", {
              query: { format, ...query, ...(order && { order }), ...(search && { search }) },
            })
          }
        />
      }
    >
      <EventLog
        label={texts.platformAudit}
        list={list}
        names={names}
        path="/platform/audit"
        filters={filters}
        actions={actions}
        fields={<PlatformFields filters={filters} names={names} onChange={list.show} />}
        hasOrganizations
      />
    </Page>
  );
}

type Props = {
  readonly filters: AuditFilters;
  readonly names: LinkedNames;
  readonly onChange: (change: FilterChange) => void;
};

export function PlatformFields({ filters: { organization, actorId }, names, onChange }: Props) {
  const texts = useTexts(logTexts);
  const [organizationSearch, userSearch] = [useOptionSearch(), useOptionSearch()];
  const organizations = useApiQuery(
    "GET /api/organizations",
    { query: organizationSearch.query },
    organizationSearch.settings,
  );
  const users = useApiQuery("GET /api/users", { query: userSearch.query }, userSearch.settings);
  return (
    <>
      <SearchSelect
        label={texts.organization}
        placeholder={texts.anyOrganization}
        value={organization ?? null}
        onChange={(id) => onChange({ organization: id ?? undefined })}
        found={organizationSearch.found(organizations, ({ id, name }) => [id, name])}
        chosen={organization && names.organization(organization)}
        {...organizationSearch.field}
      />
      <SearchSelect
        label={texts.actor}
        placeholder={texts.anybody}
        value={actorId ?? null}
        onChange={(id) => onChange({ actorId: id ?? undefined })}
        found={userSearch.found(users, ({ id, firstName, lastName, email }) => [
          id,
          `${firstName} ${lastName} · ${email}`,
        ])}
        chosen={actorId && names.person(actorId)}
        {...userSearch.field}
      />
    </>
  );
}

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
