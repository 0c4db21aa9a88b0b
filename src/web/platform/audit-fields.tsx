import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useOptionSearch } from "../lib/search-options.ts";
import { logTexts } from "../ui/audit/log-texts.ts";
import type { LinkedNames } from "../ui/audit/names.ts";
import type { AuditFilters, FilterChange } from "../ui/audit/search.ts";
import { SearchSelect } from "../ui/search-select.tsx";

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
