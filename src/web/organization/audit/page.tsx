import { Anchor } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ApiError } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useDeclaredActions } from "../../lib/features.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { actionTexts } from "../../texts/audit.ts";
import { logTexts } from "../../texts/audit-log.ts";
import { EventLog } from "../../ui/audit/event-log.tsx";
import { Export } from "../../ui/audit/export.tsx";
import { type AuditFilters, auditFilters, type FilterChange, queryOf } from "../../ui/audit/search.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { PersonSelect } from "../../ui/person-select.tsx";
import { Histogram } from "./histogram.tsx";
import { useLinkedNames } from "./linked-names.ts";

const route = getRouteApi("/authenticated/audit");

/** The audit log of the organization; its filters are in the URL. */
export function AuditLog() {
  const texts = useTexts(logTexts);
  const actions = { ...useTexts(actionTexts), ...useDeclaredActions() };
  const client = useClient();
  const filters = auditFilters(route.useSearch());
  const { organization: _, ...query } = queryOf(filters);
  const list = useList("GET /api/organization/audit-events", { sort: "time", order: "desc", ...query });
  const names = useLinkedNames(list.rows ?? []);
  const { order, search } = list.search;
  const isMissing = list.error instanceof ApiError && list.error.code === "PLAN_FEATURE_REQUIRED";
  if (isMissing)
    return (
      <Page title={texts.audit}>
        <NotInPlan />
      </Page>
    );
  return (
    <Page
      title={texts.audit}
      about={texts.about}
      actions={
        <Export
          load={(format) =>
            client.request("GET /api/organization/audit-events/export", {
              query: { format, ...query, ...(order && { order }), ...(search && { search }) },
            })
          }
        />
      }
    >
      <Histogram query={query} search={search} onSelect={list.show} />
      <EventLog
        label={texts.audit}
        list={list}
        names={names}
        path="/audit"
        filters={filters}
        actions={actions}
        fields={<People filters={filters} onChange={list.show} />}
      />
    </Page>
  );
}

export function NotInPlan() {
  const texts = useTexts(logTexts);
  return (
    <EmptyState text={texts.notInPlan}>
      <Anchor component={Link} to="/billing">
        {texts.toBilling}
      </Anchor>
    </EmptyState>
  );
}

function People({ filters, onChange }: { filters: AuditFilters; onChange: (change: FilterChange) => void }) {
  const texts = useTexts(logTexts);
  if (!useCan("Members.Read")) return null;
  return (
    <>
      <PersonSelect
        label={texts.actor}
        placeholder={texts.anybody}
        value={filters.actorId ?? null}
        onChange={(actorId) => onChange({ actorId: actorId ?? undefined })}
      />
      <PersonSelect
        label={texts.target}
        placeholder={texts.anybody}
        value={filters.targetType === "user" ? (filters.targetId ?? null) : null}
        onChange={(userId) =>
          onChange({ targetId: userId ?? undefined, targetType: userId === null ? undefined : "user" })
        }
      />
    </>
  );
}
