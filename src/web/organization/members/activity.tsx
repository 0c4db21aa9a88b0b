import { Anchor } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, type Schemas } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Segments } from "../../ui/segments.tsx";
import { useEventColumns } from "../audit/columns.tsx";
import { EventDialog } from "../audit/event.tsx";
import { useNames } from "../audit/names.ts";
import { auditTexts } from "../audit/texts.ts";
import { useEventLabels } from "../audit/words.ts";
import { MemberFrame } from "./frame.tsx";
import { memberTexts } from "./texts.ts";

const route = getRouteApi("/authenticated/members/$userId/activity");

/** The third tab of a member: events of the audit log by this member, or about this member. */
export function MemberActivity() {
  const texts = useTexts(memberTexts);
  const { userId } = route.useParams();
  const mayRead = useCan("Audit.Read");
  return (
    <MemberFrame userId={userId} part={texts.activity}>
      {() => (mayRead ? <Events userId={userId} /> : <EmptyState text={texts.noAudit} />)}
    </MemberFrame>
  );
}

type View = "by" | "about";

function Events({ userId }: { userId: string }) {
  const texts = useTexts(memberTexts);
  const audit = useTexts(auditTexts);
  const view: View = route.useSearch().view === "about" ? "about" : "by";
  const list = useList("GET /api/organization/audit-events", {
    sort: "time",
    order: "desc",
    ...(view === "by" ? { actorId: userId } : { targetType: "user" as const, targetId: userId }),
  });
  const words = useEventLabels(useNames(list.rows ?? []));
  const [shown, setShown] = useState<Schemas["AuditEvent"] | null>(null);
  const columns = useEventColumns(words, setShown).filter(({ key }) => view === "about" || key !== "actor");
  if (list.error instanceof ApiError && list.error.code === "PLAN_FEATURE_REQUIRED")
    return (
      <EmptyState text={audit.notInPlan}>
        <Anchor component={Link} to="/billing">
          {audit.toBilling}
        </Anchor>
      </EmptyState>
    );
  return (
    <>
      <Segments<View>
        label={texts.changedRecords}
        options={[
          { value: "by", label: texts.byMember },
          { value: "about", label: texts.aboutMember },
        ]}
        value={view}
        onChange={(next) => list.show({ view: next === "by" ? undefined : next })}
      />
      <DataTable
        label={texts.activity}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="list" text={view === "by" ? texts.noActivityAbout : texts.noEventsAbout} />}
      />
      <EventDialog event={shown} words={words} onClose={() => setShown(null)} />
    </>
  );
}
