import { Anchor } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, type Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Guard } from "../shared/guard.tsx";
import { useEventColumns } from "./columns.tsx";
import { EventDialog } from "./event.tsx";
import { Export } from "./export.tsx";
import { type AuditFilters, Filters } from "./filters.tsx";
import { Histogram } from "./histogram.tsx";
import { useNames } from "./names.ts";
import { auditTexts } from "./texts.ts";
import { useEventLabels } from "./words.ts";

const route = getRouteApi("/authenticated/audit");

type Event = Schemas["AuditEvent"];

/** The audit log of the organization; its filters are in the URL. */
export function AuditLog() {
  const texts = useTexts(auditTexts);
  return (
    <Guard title={texts.audit} needs="Audit.Read">
      <Log />
    </Guard>
  );
}

function Log() {
  const texts = useTexts(auditTexts);
  const filters = useFilters();
  const list = useList("GET /api/organization/audit-events", { sort: "time", order: "desc", ...filters });
  const words = useEventLabels(useNames(list.rows ?? []));
  const [shown, setShown] = useState<Event | null>(null);
  const columns = useEventColumns(words, setShown);
  const isMissing = list.error instanceof ApiError && list.error.code === "PLAN_FEATURE_REQUIRED";
  if (isMissing)
    return (
      <Page title={texts.audit}>
        <EmptyState text={texts.notInPlan}>
          <Anchor component={Link} to="/billing">
            {texts.toBilling}
          </Anchor>
        </EmptyState>
      </Page>
    );
  return (
    <Page title={texts.audit} about={texts.about} actions={<Export filters={filters} search={list.search} />}>
      <Histogram filters={filters} search={list.search.search} onSelect={list.show} />
      <DataTable
        label={texts.audit}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon="list" text={Object.keys(filters).length === 0 ? texts.noneYet : texts.none} />
        }
        searchable
        searchPlaceholder={texts.searchHint}
        filters={<Filters filters={filters} onChange={list.show} />}
      />
      <EventDialog event={shown} words={words} onClose={() => setShown(null)} onFilter={list.show} />
    </Page>
  );
}

function useFilters(): AuditFilters {
  const { action, actorId, targetType, targetId, from, to } = route.useSearch() as AuditFilters;
  const all = { action, actorId, targetType, targetId, from, to };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
