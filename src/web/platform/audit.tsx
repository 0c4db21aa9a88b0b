import { getRouteApi } from "@tanstack/react-router";
import { useClient } from "../../client/react.ts";
import { useDeclaredActions } from "../lib/features.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { EventLog } from "../ui/audit/event-log.tsx";
import { Export } from "../ui/audit/export.tsx";
import { logTexts, platformActionTexts } from "../ui/audit/log-texts.ts";
import { auditFilters, queryOf } from "../ui/audit/search.ts";
import { actionTexts } from "../ui/audit/texts.ts";
import { Page } from "../ui/page.tsx";
import { PlatformFields } from "./audit-fields.tsx";
import { usePlatformNames } from "./audit-names.ts";

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
